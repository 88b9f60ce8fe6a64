import { useEffect, useState } from "react";
import { Notice } from "../ui/Notice";
import styles from "./Account.module.css";
import { signInAddress } from "./account";

const FAILURES: Record<string, string> = {
  unreachable: "the identity provider does not answer.",
  untrusted:
    "what the identity provider sent could not be verified. If this happens again, tell whoever runs this server.",
};

/** Why a login came to nothing, if the server sent the browser back for that. */
export function signInFailure(search: string): string | null {
  const reason = new URLSearchParams(search).get("sign_in");
  if (reason === null) return null;
  return FAILURES[reason] ?? "it was refused, or took too long.";
}

/** Says why a login came to nothing, until the reader leaves the page. */
export default function SignInFailure() {
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
