/** A stretch of one voice within a shot, and what each state earned in it. */
export type VoiceClaim = {
  /** Summed reward per state: 0 is nobody on screen, 1… the faces. */
  readonly rewards: readonly number[];
  /** For the claims just before the present claim, nearest first: 1 surely the same voice, −1 surely another, 0 unknown. */
  readonly same: readonly number[];
};

/** Kept alternatives; more gave the same answers on the development clips. */
const beamWidth = 100;

type Path = { readonly state: number; readonly total: number; readonly before: Path | undefined };

/**
 * Gives each stretch of voice to a face or to nobody: most reward in all, when one voice that went to two
 * faces, or one face that got two voices, costs. So a turn whose own evidence is doubtful follows the other
 * turns of its voice, and a face that surely has one voice leaves another voice to other faces.
 *
 * @param strength - Reward of a sure agreement or disagreement between two claims.
 * @returns The state of each claim.
 */
export function bindVoices(claims: readonly VoiceClaim[], strength: number): number[] {
  let beam: Path[] = [];
  for (const { rewards, same } of claims) {
    const next: Path[] = [];
    for (const before of beam.length ? beam : [undefined]) {
      rewards.forEach((reward, state) => {
        let total = (before?.total ?? 0) + reward;
        let earlier = before;
        for (const bond of same) {
          if (!earlier) break;
          total += pairReward(bond * strength, earlier.state, state);
          earlier = earlier.before;
        }
        next.push({ state, total, before });
      });
    }
    beam = next.sort((a, b) => b.total - a.total).slice(0, beamWidth);
  }
  const states: number[] = [];
  for (let path = beam[0]; path; path = path.before) states.push(path.state);
  return states.reverse();
}

/** @param bond - Positive for the same voice, negative for another. */
function pairReward(bond: number, a: number, b: number): number {
  if (a === b) return a || bond > 0 ? bond / 2 : 0;
  if (a && b) return -bond / 2;
  // A second voice does not put a face off screen: only another face may take that voice.
  return -Math.abs(bond) / 2;
}
