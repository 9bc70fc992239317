"""The operations that the stand-in answers, one file per subject."""

from bot.demo.github.ask import Route
from bot.demo.github.routes import actions, apps, checks, comments, contents, pulls, reactions, reviews

ROUTES: tuple[Route, ...] = (
    *apps.ROUTES,
    *pulls.ROUTES,
    *contents.ROUTES,
    *comments.ROUTES,
    *reactions.ROUTES,
    *checks.ROUTES,
    *actions.ROUTES,
    *reviews.ROUTES,
)
