import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { Notice } from "../ui/Notice";
import { accountQuery, signInAddress } from "./account";
import styles from "./Account.module.css";

const SignInOut = lazy(() => import("./SignInOut"));

/** Who is signed in, with links to sign in and out; empty if the server has no login. */
export function Account() {
  const { data } = useQuery(accountQuery);
  if (!data?.idp_configured) return null;
  return (
    <Suspense>
      <SignInOut user={data.user} />
    </Suspense>
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
