import { type ReactNode, useLayoutEffect, useRef } from "react";
import { Button } from "./Button";
import styles from "./Dialog.module.css";

interface Props {
  title: string;
  children: ReactNode;
  onClose: () => void;
  /** Leaves out the bar with the title, which is then read out only. */
  isBare?: boolean;
  isWide?: boolean;
}

/** A modal dialog, shown as long as it is mounted; the browser keeps and returns the focus. */
export function Dialog({ title, children, onClose, isBare = false, isWide = false }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  // Closed while it is still in the page: the browser gives the focus back only then.
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    return () => shown?.close();
  }, []);

  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions -- Escape closes it too
    <dialog
      ref={dialog}
      className={styles.dialog}
      aria-label={title}
      data-wide={isWide}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      {isBare ? null : (
        <header className={styles.head}>
          <h2>{title}</h2>
          <Button tone="quiet" isSmall icon="cross" aria-label="Close" onClick={onClose} />
        </header>
      )}
      {children}
    </dialog>
  );
}
