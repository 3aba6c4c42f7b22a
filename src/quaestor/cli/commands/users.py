"""``quaestor users``: manages the users of a server."""

from __future__ import annotations

from dataclasses import asdict

import click

from quaestor.accounts.users import User, Users
from quaestor.assemble import make_users
from quaestor.cli.options import json_option, state_option, state_store
from quaestor.cli.output import echo, print_json, print_table, remark
from quaestor.cli.scope import configure


@click.group("users")
def command() -> None:
    """Add, list, renew or revoke users of the server.

    While there are no users, a server accepts everyone on this machine; once there is one, everyone needs a token.
    """


@command.command("add")
@state_option
@click.argument("name")
@json_option
def add(name: str, as_json: bool) -> None:
    """Add a user and show the token, which cannot be shown again.

    Only a hash of it is kept."""
    _show(*_users().add(name), as_json=as_json)


@command.command("renew")
@state_option
@click.argument("name")
@json_option
def renew(name: str, as_json: bool) -> None:
    """Give a user a new token; the old one is refused from now on."""
    _show(*_users().renew(name), as_json=as_json)


@command.command("revoke")
@state_option
@click.argument("name")
@json_option
def revoke(name: str, as_json: bool) -> None:
    """Refuse a user's token from now on, in running servers too.

    The user's sessions and usage stay."""
    user = _users().revoke(name)
    if as_json:
        return print_json({"user": asdict(user)})
    return remark(f"{user.name} is revoked")


@command.command("list")
@state_option
@json_option
def list_users(as_json: bool) -> None:
    """List users, without their tokens.

    Only hashes of the tokens are stored."""
    users = _users().list()
    if as_json:
        return print_json({"users": [asdict(user) for user in users]})
    if not users:
        return remark("There are no users. `quaestor users add NAME` adds one and shows its token.")
    rows = [(user.name, user.created[:10], user.revoked[:10] if user.revoked else "") for user in users]
    return print_table(("user", "added", "revoked"), rows)


def _users() -> Users:
    return make_users(configure(None, store=state_store()).settings)


def _show(user: User, token: str, *, as_json: bool) -> None:
    if as_json:
        return print_json({"user": asdict(user), "token": token})
    remark(f"The token of {user.name}, which is not shown again:")
    return echo(token)
