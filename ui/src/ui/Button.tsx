import type { ButtonHTMLAttributes, ReactNode } from "react";
import styles from "./Button.module.css";
import { Icon, type IconName } from "./Icon";

export type ButtonTone = "plain" | "primary" | "quiet" | "danger";

interface Look {
  tone?: ButtonTone;
  icon?: IconName;
  isSmall?: boolean;
}

interface Props extends Look, Omit<ButtonHTMLAttributes<HTMLButtonElement>, "type" | "className"> {
  children?: ReactNode;
  type?: "button" | "submit";
  /** While true the button shows a spinner and cannot be pressed again. */
  isBusy?: boolean;
}

export function Button({ tone = "plain", icon, isSmall, isBusy, children, type, ...rest }: Props) {
  const shown = isBusy ? "spinner" : icon;
  return (
    <button
      {...rest}
      type={type === "submit" ? "submit" : "button"}
      className={buttonClass({ tone, isSmall: isSmall ?? false })}
      data-bare={children === undefined}
      disabled={rest.disabled || isBusy}
    >
      {shown ? <Icon name={shown} /> : null}
      {children}
    </button>
  );
}

/** For links that look like buttons. */
export function buttonClass({ tone = "plain", isSmall = false }: Look = {}): string {
  return [styles.button, styles[tone], isSmall ? styles.small : ""].filter(Boolean).join(" ");
}
