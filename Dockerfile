# Two stages: one that builds, one that runs. The steps themselves are in scripts/image.sh.
FROM python:3.13-slim-bookworm AS build
COPY . /src
RUN /src/scripts/image.sh build /src /opt/gatekit

FROM python:3.13-slim-bookworm
COPY --from=build /opt/gatekit /opt/gatekit
COPY scripts/image.sh /usr/local/bin/gatekit-image
RUN gatekit-image user /opt/gatekit
USER gatekit
WORKDIR /var/lib/gatekit
ENV GATEKIT_HOST=0.0.0.0 GATEKIT_DATABASE=/var/lib/gatekit/gatekit.db
EXPOSE 8080 8081
HEALTHCHECK --interval=30s --timeout=5s CMD ["gatekit-image", "health"]
ENTRYPOINT ["/opt/gatekit/bin/gatekit"]
CMD ["serve"]
