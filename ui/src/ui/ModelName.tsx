import { Fragment } from "react";
import { Breakable } from "./Breakable";
import styles from "./ModelName.module.css";

/** The provider in the background, the model itself in front; long names break after a slash. */
export function ModelName({ model }: { model: string }) {
  const [provider, ...name] = model.split("/");
  return (
    <span className={styles.model}>
      <span className={styles.provider}>{provider}</span>
      {name.map((part, place) => (
        <Fragment key={name.slice(0, place + 1).join("/")}>
          <span className={place === 0 ? styles.provider : undefined}>/</span>
          <wbr />
          <Breakable>{part}</Breakable>
        </Fragment>
      ))}
    </span>
  );
}
