import { type ReactNode, useId, useRef } from "react";
import { buttonClass, type ButtonTone } from "./Button";
import { Icon, type IconName } from "./Icon";
import styles from "./Menu.module.css";

interface Props {
  label: string;
  icon: IconName;
  children: ReactNode;
  tone?: ButtonTone;
  /** Shows the icon alone; the label is read out. */
  isBare?: boolean;
}

/** A button that opens a list of links and buttons; any click inside closes it again. */
export function Menu({ label, icon, children, tone = "plain", isBare = false }: Props) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);

  // The popover is in the top layer and knows nothing of its button's place.
  function place() {
    const box = button.current?.getBoundingClientRect();
    if (!box || !list.current) return;
    list.current.style.top = `${box.bottom + 4}px`;
    list.current.style.right = `${Math.max(8, document.documentElement.clientWidth - box.right)}px`;
  }

  return (
    <>
      <button
        ref={button}
        type="button"
        popoverTarget={id}
        className={buttonClass({ tone })}
        data-bare={isBare}
        aria-label={isBare ? label : undefined}
        onClick={place}
      >
        <Icon name={icon} />
        {isBare ? null : label}
      </button>
      {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions -- the keys reach what is inside */}
      <div
        id={id}
        ref={list}
        popover="auto"
        className={styles.menu}
        onClick={() => list.current?.hidePopover()}
      >
        {children}
      </div>
    </>
  );
}

interface EntryProps {
  children: ReactNode;
  note?: ReactNode;
  icon?: IconName;
}

export function MenuLink({
  href,
  children,
  note,
  icon,
  ...rest
}: EntryProps & { href: string; download?: boolean }) {
  return (
    <a href={href} className={styles.entry} {...rest}>
      <Entry icon={icon} note={note}>
        {children}
      </Entry>
    </a>
  );
}

export function MenuButton({
  onClick,
  children,
  note,
  icon,
  disabled,
}: EntryProps & { onClick: () => void; disabled?: boolean }) {
  return (
    <button type="button" className={styles.entry} onClick={onClick} disabled={disabled}>
      <Entry icon={icon} note={note}>
        {children}
      </Entry>
    </button>
  );
}

function Entry({
  icon,
  note,
  children,
}: {
  icon?: IconName | undefined;
  note?: ReactNode;
  children: ReactNode;
}) {
  return (
    <>
      {icon ? <Icon name={icon} /> : null}
      <span>
        {children}
        {note ? <small>{note}</small> : null}
      </span>
    </>
  );
}
