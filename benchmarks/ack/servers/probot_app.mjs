// The receiver of probot's own manual, with one route that does nothing. Prints its port.
// usage: node probot_app.mjs FOLDER_WITH_NODE_MODULES
import { generateKeyPairSync } from "node:crypto";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const installed = createRequire(`${process.argv[2]}/package.json`);
const { createNodeMiddleware, createProbot } = await import(pathToFileURL(installed.resolve("probot")));

const { privateKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs1", format: "pem" },
});
const probot = createProbot({
  overrides: { appId: 1, privateKey, secret: "a secret of the benchmark", logLevel: "error" },
});
const middleware = await createNodeMiddleware((app) => app.on("pull_request.labeled", async () => {}), {
  probot,
  webhooksPath: "/webhook",
});
const server = createServer((request, response) => {
  middleware(request, response, () => response.writeHead(404).end());
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
