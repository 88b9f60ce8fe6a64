import type { Benchmark } from "../api/client";
import { Badge } from "../ui/Badge";
import { Icon } from "../ui/Icon";
import { originOf } from "./families";

/** What a reader must know of a benchmark before anything else. */
export function BenchmarkBadges({ card }: { card: Benchmark }) {
  if (card.needs_setup) {
    return (
      <Badge tone="gold" title={card.setup_notes ?? "Nothing installed here can run it"}>
        needs setup
      </Badge>
    );
  }
  return (
    <>
      {isOwn(card) ? <Badge>yours</Badge> : <Badge title={MODES[card.mode]}>{card.mode}</Badge>}
      {card.needs.map((need) => (
        <Badge key={need} tone="gold">
          needs {need}
        </Badge>
      ))}
      {card.is_gated ? (
        <Badge tone="gold" title="Its data is available only to users who accept its terms">
          <Icon name="lock" size={12} />
          gated
        </Badge>
      ) : null}
      {isOwn(card) ? null : (
        <Badge tone={card.is_fetched ? "good" : "plain"} title={`Official data of ${originOf(card.name)}`}>
          {card.is_fetched ? "data here" : "data not fetched"}
        </Badge>
      )}
    </>
  );
}

const MODES: Record<Benchmark["mode"], string> = {
  official: "Asked and graded as by its authors",
  variant: "Asked or graded differently than by its authors",
};

/** A data set of the user's is its own data: there is nothing to fetch. */
export function isOwn(card: Benchmark): boolean {
  return card.name.startsWith("dataset:");
}
