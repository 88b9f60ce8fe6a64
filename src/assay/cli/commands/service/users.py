"""`assay users`: who may use the API, and what they may do."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from assay.cli import options
from assay.domain.access.identity import MAX_KEY_DAYS, Role

if TYPE_CHECKING:
    from assay.domain.access.identity import User
    from assay.engine.stores import Stores

T = TypeVar("T")
app = typer.Typer(
    help="List users, give them roles, and make access keys for programs.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
UserArgument = Annotated[
    str, typer.Argument(metavar="USER", help="A user's id, as `assay users list` shows it.")
]


@app.command("list")
def list_users(*, json: options.Json = False) -> None:
    """List everybody who has signed in, and every holder of an access key."""
    from assay.cli.output.write import write_json, write_table

    users = _with_store(lambda stores: stores.identity.users())
    if json:
        write_json({"users": [_document(one) for one in users]})
        return
    if not users:
        typer.echo("no users yet; make one with an access key: assay users add NAME")
        return
    rows = [
        (one.id, one.username, one.role.value, f"{one.created_at:%Y-%m-%d %H:%M}", _expiry(one))
        for one in users
    ]
    write_table(("USER", "NAME", "ROLE", "SINCE", "KEY EXPIRES"), rows)


@app.command()
def add(
    name: Annotated[str, typer.Argument(help="What the holder of the key is called.")],
    *,
    role: Annotated[Role, typer.Option(help="What the holder may do.")] = Role.RUNNER,
    expires_in_days: Annotated[
        int | None,
        typer.Option(min=1, max=MAX_KEY_DAYS, help="Days until the key expires; by default it does not."),
    ] = None,
    json: options.Json = False,
) -> None:
    """Make a user with an access key, which is shown once and stored nowhere."""
    from assay.cli.output.write import write_json
    from assay.engine.clock import SystemClock
    from assay.engine.identity.access_keys import new_key_user

    lasts = None if expires_in_days is None else timedelta(days=expires_in_days)
    user, key = _with_store(
        lambda stores: new_key_user(name, role, store=stores.identity, clock=SystemClock(), lasts=lasts),
        action="add_user",
        target=f"{name} as {role.value}",
    )
    if json:
        write_json(_document(user) | {"key": key.value})
        return
    typer.echo(f"{user.id} is a {user.role.value}; this key is not shown again, send it as X-API-Key:")
    typer.echo(key.value)


@app.command("role")
def set_role(
    user_id: UserArgument,
    role: Annotated[Role, typer.Argument(help="What the user may do from now on.")],
    *,
    json: options.Json = False,
) -> None:
    """Give a user another role; effective at once."""
    from assay.cli.output.write import write_json

    user = _with_store(
        lambda stores: stores.identity.set_role(user_id, role),
        action="set_role",
        target=f"{user_id} to {role.value}",
    )
    if json:
        write_json(_document(user))
    else:
        typer.echo(f"{user.id} ({user.username}) is a {user.role.value} from now on")


@app.command()
def remove(user_id: UserArgument) -> None:
    """Forget a user with all sessions and keys; the runs stay."""
    _with_store(lambda stores: stores.identity.remove_user(user_id), action="remove_user", target=user_id)
    typer.echo(f"{user_id} is removed")


def _with_store(
    work: "Callable[[Stores], Awaitable[T]]", *, action: str | None = None, target: str = ""
) -> T:
    """An `action` is written to the audit log once it is done."""
    from assay.cli.actions.audit import note
    from assay.cli.event_loop import run_async
    from assay.installation import opened_stores
    from assay.settings import load_settings

    async def doing() -> T:
        async with opened_stores(load_settings()) as stores:
            done = await work(stores)
            if action is not None:
                await note(stores, action, target)
            return done

    return run_async(doing())


def _document(user: "User") -> dict[str, object]:
    since = user.created_at.isoformat()
    expires = None if user.key_expires_at is None else user.key_expires_at.isoformat()
    return {
        "id": user.id,
        "username": user.username,
        "role": user.role.value,
        "created_at": since,
        "key_expires_at": expires,
    }


def _expiry(user: "User") -> str:
    from datetime import UTC, datetime

    if user.key_expires_at is None:
        return "never" if user.has_key else ""
    shown = f"{user.key_expires_at:%Y-%m-%d %H:%M}"
    return f"{shown} (expired)" if user.key_expires_at <= datetime.now(UTC) else shown
