import type { CodeTask } from "../api/code";
import { languageName } from "../api/code";
import { Button } from "../ui/Button";
import { Section } from "../ui/Page";
import { chosenIds, isExactly, withTasks } from "./selection";
import styles from "./TaskPicker.module.css";

const DIFFICULTIES = ["easy", "medium", "expert"] as const;
const KINDS = { bug_fix: "bug fix", feature_implementation: "feature" };

interface Props {
  tasks: readonly CodeTask[];
  chosen: readonly string[];
  onChange: (ids: string[]) => void;
}

/** The tasks by language; those that cannot be tested on the server cannot be chosen. */
export function TaskPicker({ tasks, chosen, onChange }: Props) {
  const groups = Map.groupBy(tasks, ({ language }) => language);
  const presets = [
    { name: "All", of: tasks },
    ...DIFFICULTIES.map((one) => ({ name: one, of: tasks.filter(({ difficulty }) => difficulty === one) })),
  ].filter(({ of }) => of.length > 0);
  return (
    <Section title="Tasks" note={`${chosen.length} of ${tasks.length} chosen`}>
      <div className={styles.presets} role="group" aria-label="Choose tasks">
        {presets.map(({ name, of }) => (
          <Button
            key={name}
            isSmall
            aria-pressed={isExactly(chosen, of)}
            onClick={() => onChange(chosenIds(of, undefined))}
          >
            {name === "All" ? "All" : `Only ${name}`}
          </Button>
        ))}
        <Button isSmall aria-pressed={chosen.length === 0} onClick={() => onChange([])}>
          None
        </Button>
      </div>
      <div className={styles.groups}>
        {[...groups].map(([language, own]) => (
          <Group key={language} language={language} tasks={own} chosen={chosen} onChange={onChange} />
        ))}
      </div>
    </Section>
  );
}

function Group({ language, tasks, chosen, onChange }: Props & { language: string }) {
  const own = tasks.filter(({ id }) => chosen.includes(id)).length;
  const testable = tasks.filter(({ available }) => available).length;
  const reasons = new Set(tasks.flatMap(({ reason }) => reason ?? []));
  return (
    <fieldset className={styles.group}>
      <legend>
        <label>
          <input
            type="checkbox"
            checked={own > 0 && own === testable}
            disabled={testable === 0}
            ref={(box) => {
              if (box) box.indeterminate = own > 0 && own < testable;
            }}
            onChange={() => onChange(withTasks(chosen, tasks, own < testable))}
          />
          {languageName(language)}
        </label>
        <span>{testable === 0 ? "not on this server" : `${own} of ${tasks.length}`}</span>
      </legend>
      {[...reasons].map((reason) => (
        <p key={reason} className={styles.reason}>
          {reason}
        </p>
      ))}
      {tasks.map((task) => (
        <Choice
          key={task.id}
          task={task}
          isChosen={chosen.includes(task.id)}
          onToggle={(isChosen) => onChange(withTasks(chosen, [task], isChosen))}
        />
      ))}
    </fieldset>
  );
}

interface ChoiceProps {
  task: CodeTask;
  isChosen: boolean;
  onToggle: (isChosen: boolean) => void;
}

function Choice({
  task: { id, title, type, difficulty, available, reason },
  isChosen,
  onToggle,
}: ChoiceProps) {
  return (
    <label className={styles.task} data-available={available} title={reason ?? undefined}>
      <input
        type="checkbox"
        checked={isChosen}
        disabled={!available}
        onChange={({ target }) => onToggle(target.checked)}
      />
      <span>{title}</span>
      <small>
        <code>{id}</code> {difficulty} {KINDS[type]}
      </small>
    </label>
  );
}
