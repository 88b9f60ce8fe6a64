import styles from "./Segments.module.css";

interface Props<T extends string> {
  label: string;
  options: readonly { value: T; label: string; title?: string }[];
  value: T;
  onChange: (value: T) => void;
}

/** One of a few values, all of them in sight. */
export function Segments<T extends string>({ label, options, value, onChange }: Props<T>) {
  return (
    <div className={styles.segments} role="radiogroup" aria-label={label}>
      {options.map((option) => (
        <label key={option.value} className={styles.segment} title={option.title}>
          <input
            type="radio"
            className="visually-hidden"
            name={label}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          {option.label}
        </label>
      ))}
    </div>
  );
}
