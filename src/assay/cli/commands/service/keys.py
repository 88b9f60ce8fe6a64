"""`assay keys`: what exports are signed with, and what stored secrets are encrypted under."""

import typer

from assay.cli import options

app = typer.Typer(
    help="List and rotate the keys that exports are signed with; rotate the key of stored secrets.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command("list")
def list_keys(*, json: options.Json = False) -> None:
    """List the public keys that are trusted here; the first one signs."""
    from base64 import b64encode

    from assay.bootstrap import keyring
    from assay.cli.output.write import write_json, write_table
    from assay.installation import prepare_home
    from assay.settings import load_settings

    settings = load_settings()
    prepare_home(settings)
    ring = keyring(settings)
    if not ring.known():
        ring.signer()
    known = [
        {
            "key_id": one.key_id,
            "signs": one.is_current and ring.has_private_key,
            "public_key": b64encode(one.public_key).decode(),
            "fingerprint": one.fingerprint,
        }
        for one in ring.known()
    ]
    if json:
        write_json({"keys": known})
        return
    rows = [
        (str(one["key_id"]), "signs" if one["signs"] else "trusted", str(one["public_key"])) for one in known
    ]
    write_table(("KEY", "USE", "PUBLIC KEY"), rows)


@app.command()
def rotate(*, json: options.Json = False) -> None:
    """Sign with a new key from now on; what was signed before stays verifiable here."""
    from base64 import b64encode

    from assay.bootstrap import keyring
    from assay.cli.output.write import write_json
    from assay.engine.exports.bundle import fingerprint_of, key_id_of
    from assay.installation import prepare_home
    from assay.settings import load_settings

    settings = load_settings()
    prepare_home(settings)
    signer = keyring(settings).rotate()
    fingerprint = fingerprint_of(signer.public_key)
    public_key = b64encode(signer.public_key).decode()
    if json:
        write_json({"key_id": key_id_of(fingerprint), "public_key": public_key, "fingerprint": fingerprint})
    else:
        typer.echo(f"key {key_id_of(fingerprint)} signs from now on; publish its public key: {public_key}")


@app.command("rotate-secret-key")
def rotate_secret_key(*, json: options.Json = False) -> None:
    """Encrypt stored secrets under a new key, while everything goes on.

    Makes the key, or takes the first of those in ASSAY_SECRET_KEY.
    """
    from dataclasses import asdict

    from assay.bootstrap import vault
    from assay.cli.actions.audit import note
    from assay.cli.event_loop import run_async
    from assay.cli.output.write import write_json
    from assay.domain.stats import plural
    from assay.engine.identity.rotation import Resealed, rotate
    from assay.installation import opened_stores
    from assay.settings import load_settings

    settings = load_settings()

    async def done() -> Resealed:
        async with opened_stores(settings) as stores:
            found = await rotate(stores.sealed, vault(settings))
            await note(stores, "rotate_secret_key", f"{found.changed} resealed")
            return found

    found = run_async(done())
    if json:
        write_json(asdict(found))
        return
    changed = plural(found.changed, "stored secret")
    typer.echo(f"brought {changed} under the newest key; {found.current} were under it")
    if found.unreadable:
        typer.echo(f"{plural(found.unreadable, 'stored secret')} cannot be opened with any key, and stay so")
