import { type KeyboardEvent, type ReactNode, useId, useRef } from "react";
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

/** A button that opens a list of links and buttons; arrows move in it, and any click inside closes it again. */
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

  function entries(): HTMLElement[] {
    return [...(list.current?.querySelectorAll<HTMLElement>("a[href], button:enabled, input:enabled") ?? [])];
  }

  function onButtonKey(event: KeyboardEvent) {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    place();
    list.current?.showPopover();
    entries()
      .at(event.key === "ArrowDown" ? 0 : -1)
      ?.focus();
  }

  function onListKey(event: KeyboardEvent) {
    const all = entries();
    const to = stepped(
      event.key,
      all.findIndex((one) => one === document.activeElement),
      all.length,
    );
    if (to === undefined) return;
    event.preventDefault();
    all[to]?.focus();
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
        onKeyDown={onButtonKey}
      >
        <Icon name={icon} />
        {isBare ? null : label}
      </button>
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- the keys reach what is inside */}
      <div
        id={id}
        ref={list}
        popover="auto"
        className={styles.menu}
        onClick={() => list.current?.hidePopover()}
        onKeyDown={onListKey}
        onToggle={({ newState }) => newState === "open" && entries()[0]?.focus()}
      >
        {children}
      </div>
    </>
  );
}

/** Where a key leads in a list of this length, round its ends. */
export function stepped(key: string, from: number, length: number): number | undefined {
  if (length === 0) return undefined;
  if (key === "ArrowDown") return (from + 1) % length;
  if (key === "ArrowUp") return from <= 0 ? length - 1 : from - 1;
  if (key === "Home") return 0;
  return key === "End" ? length - 1 : undefined;
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
