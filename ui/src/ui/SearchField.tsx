import { useRef, useState } from "react";
import { Icon } from "./Icon";
import styles from "./SearchField.module.css";
import { useShortcut } from "./shortcuts";

interface Props {
  label: string;
  placeholder?: string;
  /** What the URL says. */
  value: string;
  onChange: (typed: string) => void;
  isDisabled?: boolean;
}

/** The one field of a page that narrows what is shown; `/` leads to it. */
export function SearchField({ label, placeholder = label, value, onChange, isDisabled = false }: Props) {
  const input = useRef<HTMLInputElement>(null);
  useShortcut("/", () => input.current?.focus());

  // The field leads while the reader types; the URL leads when it changes by other means, such as Back.
  const [typed, setTyped] = useState(value);
  const [lastValue, setLastValue] = useState(value);
  if (value !== lastValue) {
    setLastValue(value);
    if (value !== typed.trim()) setTyped(value);
  }

  return (
    <label className={styles.field}>
      <Icon name="search" />
      <span className="visually-hidden">{label}</span>
      <input
        ref={input}
        type="search"
        placeholder={placeholder}
        disabled={isDisabled}
        maxLength={200}
        value={typed}
        onChange={({ target }) => {
          setTyped(target.value);
          onChange(target.value.trim());
        }}
        autoComplete="off"
        spellCheck={false}
      />
      <kbd aria-hidden="true">/</kbd>
    </label>
  );
}
