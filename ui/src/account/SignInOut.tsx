import { useMutation } from "@tanstack/react-query";
import { api, type Schemas, unwrap } from "../api/client";
import { queryClient } from "../api/queries";
import { Button, buttonClass } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { toast } from "../ui/Toasts";
import { signInAddress } from "./account";
import styles from "./Account.module.css";

/** The link that signs in, or the user with a button that signs out. */
export default function SignInOut({ user }: { user: Schemas["SignedInUser"] | null }) {
  const signOut = useSignOut();
  if (!user) {
    return (
      <a className={buttonClass({ isSmall: true })} href={signInAddress(window.location)}>
        <Icon name="lock" />
        Sign in
      </a>
    );
  }
  return (
    <div className={styles.account}>
      <span className={styles.user} title={`${user.username}, ${user.role}`}>
        {user.username}
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

function useSignOut() {
  return useMutation({
    mutationFn: async () => unwrap(await api.POST("/api/auth/logout")),
    // What a user may do changes with who they are.
    onSuccess: () => queryClient.invalidateQueries(),
  });
}
