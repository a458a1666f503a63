import type { Citation } from './cited-cases.ts';

/** A specification of OCM's behaviour, as specifications.json describes it. */
export interface Specification {
  title: string;
  sections: readonly Section[];
  /** What a reader of the tests must know about proven cases: `{ "104": "differs on purpose: …" }`. Keys are lists of ranges. */
  notes?: Readonly<Record<string, string>>;
  /** Why the cases of these ranges that no test names are not proven. */
  notCovered?: Readonly<Record<string, string>>;
}

interface Section {
  /** `18.A`; empty if the specification has no numbered sections. */
  id: string;
  title: string;
  /** `1-32`, `A01-A56`; absent if only those count that a test names. */
  cases?: string;
  /** What the numbers of cases begin with, if there is no list: `W`. */
  prefix?: string;
}

/** One case, and what is known of it. */
export interface Case {
  number: string;
  tests: readonly Pick<Citation, 'file' | 'title'>[];
  note?: string | undefined;
  notCovered?: string | undefined;
}

export interface Coverage {
  sections: readonly { id: string; title: string; cases: readonly Case[] }[];
  errors: readonly string[];
}

/** Compares the cases of a specification with the titles of tests and with the reasons for what is missing. */
export function coverageOf(name: string, specification: Specification, citations: readonly Citation[]): Coverage {
  const cited = new Map<string, Citation[]>();
  const errors: string[] = [];
  for (const citation of citations.filter((candidate) => candidate.specification === name)) {
    const number = numberOf(citation.reference, specification);
    if (number === undefined)
      errors.push(`${citation.file} names [${name} ${citation.reference}], which does not exist`);
    else cited.set(number, [...(cited.get(number) ?? []), citation]);
  }
  const notes = reasons(specification.notes);
  const missing = reasons(specification.notCovered);
  const sections = specification.sections.map((section) => ({
    id: section.id,
    title: section.title,
    cases: numbersOf(section, cited.keys()).map((number) => ({
      number,
      tests: cited.get(number) ?? [],
      note: notes.get(number),
      notCovered: cited.has(number) ? undefined : missing.get(number),
    })),
  }));
  const all = sections.flatMap(({ cases }) => cases);
  for (const { number, tests, notCovered } of all) {
    if (tests.length === 0 && notCovered === undefined)
      errors.push(`no test names [${name} ${number}], and specifications.json does not say why`);
  }
  const numbers = new Set(all.map(({ number }) => number));
  for (const [list, kind] of [
    ...keysOf(specification.notes, 'notes'),
    ...keysOf(specification.notCovered, 'notCovered'),
  ]) {
    const unknown = expand(list).filter((number) => !numbers.has(number));
    if (unknown.length > 0) errors.push(`${kind} of ${name} names ${unknown.join(', ')}, which does not exist`);
    if (kind === 'notCovered' && expand(list).every((number) => cited.has(number)))
      errors.push(`notCovered of ${name} names ${list}, which tests prove`);
  }
  return { sections, errors };
}

const keysOf = (record: Readonly<Record<string, string>> | undefined, kind: string) =>
  Object.keys(record ?? {}).map((key) => [key, kind] as const);

/** The number of a case from its reference, if it is in the section that the reference names. */
function numberOf(reference: string, { sections }: Specification): string | undefined {
  const [, id, number = reference] = /^([0-9]+\.[0-9A-Z]+)-(.+)$/.exec(reference) ?? [];
  const section = sections.find(
    (candidate) => (id === undefined || candidate.id === id) && contains(candidate, number),
  );
  return section && number;
}

const contains = ({ cases, prefix }: Section, number: string): boolean =>
  cases === undefined ? prefix !== undefined && number.startsWith(prefix) : expand(cases).includes(number);

function numbersOf({ cases, prefix }: Section, cited: Iterable<string>): string[] {
  if (cases !== undefined) return expand(cases);
  return [...cited].filter((number) => prefix !== undefined && number.startsWith(prefix)).sort(byNumber);
}

const byNumber = (a: string, b: string) => a.localeCompare(b, 'en', { numeric: true });

/** `1-3, 7` as its numbers. `A01-A03` keeps letter and zeros. */
export function expand(list: string): string[] {
  return list.split(', ').flatMap((range) => {
    const [, letter = '', first = '', last = first] = /^([A-Z]?)(\d+)(?:-[A-Z]?(\d+))?$/.exec(range) ?? [];
    if (first === '') throw new Error(`"${range}" is not a number or a range such as 1-3`);
    return Array.from({ length: Number(last) - Number(first) + 1 }, (_, index) => {
      const number = String(Number(first) + index);
      return letter + (letter === '' ? number : number.padStart(first.length, '0'));
    });
  });
}

/** The text for each number that the keys name. */
const reasons = (record: Readonly<Record<string, string>> = {}): Map<string, string> =>
  new Map(Object.entries(record).flatMap(([list, text]) => expand(list).map((number) => [number, text] as const)));
