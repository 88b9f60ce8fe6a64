import { useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, useId, useState } from "react";
import type { Schemas } from "../api/client";
import { foundModelsQuery, modelsQuery, servedModelsQuery } from "../api/queries";
import { shortCount, usd } from "../format";
import { useDebounced } from "../ui/debounced";
import { inputClass } from "../ui/Field";
import { Icon } from "../ui/Icon";
import { ModelName } from "../ui/ModelName";
import { Section } from "../ui/Page";
import styles from "./ModelPicker.module.css";

const SHOWN = 8;
const BUILT_IN = "sim";

interface Props {
  chosen: readonly string[];
  problem: string | undefined;
  onChange: (models: string[]) => void;
}

/** Models by name: built-in ones, those an endpoint lists, or any other name typed in full. */
export function ModelPicker({ chosen, problem, onChange }: Props) {
  const add = (name: string) => onChange([...new Set([...chosen, name])]);
  const remove = (name: string) => onChange(chosen.filter((one) => one !== name));
  return (
    <Section title="Models" note="Two or more are compared item by item.">
      {chosen.length > 0 ? (
        <ul className={styles.chosen} aria-label="Chosen models">
          {chosen.map((name) => (
            <li key={name}>
              <ModelName model={name} />
              <button type="button" aria-label={`Remove ${name}`} onClick={() => remove(name)}>
                <Icon name="cross" size={12} />
              </button>
            </li>
          ))}
        </ul>
      ) : null}
      <ModelSearch chosen={chosen} onAdd={add} onRemoveLast={() => remove(chosen.at(-1) ?? "")} />
      {problem ? <p className={styles.problem}>{problem}</p> : null}
      <Suggestions chosen={chosen} onAdd={add} />
    </Section>
  );
}

interface SearchProps {
  chosen: readonly string[];
  onAdd: (name: string) => void;
  onRemoveLast: () => void;
}

function ModelSearch({ chosen, onAdd, onRemoveLast }: SearchProps) {
  const [text, setText] = useState("");
  const [place, setPlace] = useState(0);
  const list = useId();
  const { names, known, note, prefixes } = useNames(text.trim(), chosen);
  const isOpen = text.trim() !== "";

  function pick(name: string) {
    if (!name) return;
    onAdd(name);
    setText("");
    setPlace(0);
  }

  /** What is no name yet stays to be completed. */
  function enter() {
    const [prefix, ...others] = prefixes.filter((one) => one.startsWith(text.trim()));
    if (names[place]) pick(names[place]);
    else if (text.trim() && prefix && others.length === 0) setText(prefix);
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === "Backspace" && text === "") onRemoveLast();
    else if (event.key === "Enter") enter();
    else if (event.key === "ArrowDown") setPlace(Math.min(place + 1, names.length - 1));
    else if (event.key === "ArrowUp") setPlace(Math.max(place - 1, 0));
    else if (event.key === "Escape") setText("");
    else return;
    if (event.key !== "Backspace") event.preventDefault();
  }

  return (
    <div className={styles.search}>
      <input
        role="combobox"
        aria-label="Add a model"
        aria-expanded={isOpen}
        aria-controls={list}
        aria-activedescendant={isOpen && names[place] ? `${list}-${place}` : undefined}
        className={inputClass}
        placeholder="Add a model, such as openrouter/google/gemini-2.5-pro"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setPlace(0);
        }}
        onKeyDown={onKeyDown}
        autoComplete="off"
        spellCheck={false}
      />
      <div className={styles.drop} hidden={!isOpen}>
        <div id={list} role="listbox" aria-label="Models">
          {names.map((name, at) => (
            // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- the keys go to the field above
            <div
              key={name}
              id={`${list}-${at}`}
              role="option"
              aria-selected={at === place}
              className={styles.option}
              onClick={() => pick(name)}
            >
              <ModelName model={name} />
              <ModelFacts model={known.get(name)} />
            </div>
          ))}
        </div>
        {note ? <p className={styles.note}>{note}</p> : null}
      </div>
    </div>
  );
}

/** What the endpoint says of a model: its price for input and output, and how much it can read. */
function ModelFacts({ model }: { model: Schemas["Model"] | undefined }) {
  if (!model) return null;
  const { input_usd_per_million: input, output_usd_per_million: output, context_tokens: context } = model;
  const facts = [
    input !== null && output !== null ? `${usd(input)} in, ${usd(output)} out per million` : "",
    context === null ? "" : `${shortCount(context)} context`,
  ].filter(Boolean);
  return facts.length > 0 ? <small className={styles.facts}>{facts.join(" · ")}</small> : null;
}

/** What may be meant by the text typed so far, and a word on where the list comes from. */
function useNames(text: string, chosen: readonly string[]) {
  const { data } = useQuery(modelsQuery);
  const settled = useDebounced(text, 250);
  const provider = data?.providers.find(({ prefix }) => settled.startsWith(prefix));
  const rest = provider ? settled.slice(provider.prefix.length) : "";
  const served = useQuery({
    ...servedModelsQuery(provider?.prefix ?? "", rest),
    enabled: Boolean(provider?.is_ready),
  });
  const found = useQuery({ ...foundModelsQuery(settled), enabled: settled !== "" && !provider?.is_ready });
  const listed = settled === "" ? data : found.data;
  const known = (provider?.is_ready ? served.data : listed)?.models ?? [];
  const prefixes = (data?.providers ?? []).map(({ prefix }) => prefix);
  const part = text.toLowerCase();
  const names = known
    .map(({ id }) => id)
    .filter((id) => id.toLowerCase().includes(part) && !chosen.includes(id))
    .slice(0, SHOWN);
  if (/^[^/\s]+\/\S+$/.test(text) && !names.includes(text) && !chosen.includes(text)) names.push(text);
  let note = "A model is named provider/name.";
  if (provider && !provider.is_ready) note = `No key: set ${provider.key_variable} where Assay runs.`;
  else if (served.isFetching) note = `Asking ${provider?.base_url} …`;
  else if (served.error) note = served.error.message;
  else if (provider) note = `${served.data?.total ?? 0} models listed by ${provider.base_url}`;
  else if (prefixes.length > 0) note = `A model is named provider/name. Providers: ${prefixes.join(" ")}`;
  return { names, note, prefixes, known: new Map(known.map((one) => [one.id, one])) };
}

function Suggestions({ chosen, onAdd }: { chosen: readonly string[]; onAdd: (name: string) => void }) {
  const { data } = useQuery(modelsQuery);
  const builtIn = (data?.models ?? []).filter(({ provider }) => provider === BUILT_IN);
  const left = builtIn.filter(({ id }) => !chosen.includes(id));
  if (left.length === 0) return null;
  return (
    <div className={styles.suggestions}>
      <span>Built in, no key needed:</span>
      {left.map(({ id }) => (
        <button key={id} type="button" onClick={() => onAdd(id)}>
          <Icon name="plus" size={12} />
          {id}
        </button>
      ))}
    </div>
  );
}
