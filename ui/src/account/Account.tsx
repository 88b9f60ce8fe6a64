import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Button, buttonClass } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { Notice } from "../ui/Notice";
import { toast } from "../ui/Toasts";
import { accountQuery, signInAddress, signInFailure, useSignOut } from "./account";
import styles from "./Account.module.css";

/** Who is signed in, with links to sign in and out; empty if the server has no login. */
export function Account() {
  const { data } = useQuery(accountQuery);
  const signOut = useSignOut();
  if (!data?.idp_configured) return null;
  if (!data.user) {
    return (
      <a className={buttonClass({ isSmall: true })} href={signInAddress(window.location)}>
        <Icon name="lock" />
        Sign in
      </a>
    );
  }
  return (
    <div className={styles.account}>
      <span className={styles.user} title={`${data.user.username}, ${data.user.role}`}>
        {data.user.username}
      </span>
      <Button
        tone="quiet"
        isSmall
        isBusy={signOut.isPending}
        onClick={() =>
          signOut.mutate(undefined, {
            onSuccess: ({ message }) => toast(message),
            onError: ({ message }) => toast(message, { isBad: true }),
          })
        }
      >
        Sign out
      </Button>
    </div>
  );
}

/** Says why a page is empty if the server requires a login. */
export function SignInNotice() {
  const { data } = useQuery(accountQuery);
  if (!data?.needs_identity || data.authenticated) return null;
  if (!data.idp_configured) {
    return <Notice>This server answers only callers with an access key, which this page cannot send.</Notice>;
  }
  return (
    <Notice tone="gold">
      This server requires a login.{" "}
      <a className={styles.link} href={signInAddress(window.location)}>
        Sign in
      </a>{" "}
      to see its runs.
    </Notice>
  );
}

/** Says why a login came to nothing, until the reader leaves the page. */
export function SignInFailure() {
  const [failure] = useState(() => signInFailure(window.location.search));
  useEffect(forgetFailure, []);
  if (!failure) return null;
  return (
    <Notice>
      Signing in failed: {failure}{" "}
      <a className={styles.link} href={signInAddress(window.location)}>
        Try again
      </a>
    </Notice>
  );
}

function forgetFailure() {
  const here = new URL(window.location.href);
  if (!here.searchParams.has("sign_in")) return;
  here.searchParams.delete("sign_in");
  window.history.replaceState(window.history.state, "", here);
}
