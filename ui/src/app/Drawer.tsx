import { Account } from "../account/Account";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import styles from "./Drawer.module.css";
import { Navigation } from "./Navigation";
import { ThemeSwitch } from "./ThemeSwitch";

interface Props {
  onClose: () => void;
  onKeys: () => void;
}

/** The navigation where there is no room for a sidebar. */
export default function Drawer({ onClose, onKeys }: Props) {
  return (
    <Dialog title="Menu" onClose={onClose}>
      <div className={styles.drawer}>
        <Navigation onGo={onClose} />
        <Account />
        <div className={styles.tools}>
          <ThemeSwitch />
          <Button tone="quiet" isSmall icon="keyboard" onClick={onKeys}>
            Keyboard
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
