import { type DragEvent, type ReactNode, useId, useState } from "react";
import styles from "./DropZone.module.css";
import { Icon } from "./Icon";

interface Props {
  label: string;
  accept: string;
  onFile: (file: File) => void;
  children: ReactNode;
  isBusy?: boolean;
}

/** A place to drop a file, which is also a field to choose one. */
export function DropZone({ label, accept, onFile, children, isBusy = false }: Props) {
  const id = useId();
  const [isOver, setIsOver] = useState(false);

  function take(files: FileList | null) {
    const file = files?.[0];
    if (file) onFile(file);
  }

  function onDrop(event: DragEvent) {
    event.preventDefault();
    setIsOver(false);
    take(event.dataTransfer.files);
  }

  return (
    <div
      className={styles.zone}
      data-over={isOver}
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={onDrop}
    >
      <Icon name={isBusy ? "spinner" : "upload"} size={22} />
      <div className={styles.text}>{children}</div>
      <label htmlFor={id} className={styles.choose}>
        Choose a file
      </label>
      <input
        id={id}
        type="file"
        aria-label={label}
        accept={accept}
        disabled={isBusy}
        className="visually-hidden"
        onChange={({ target }) => {
          take(target.files);
          // The same file may be chosen again after it was mended.
          target.value = "";
        }}
      />
    </div>
  );
}
