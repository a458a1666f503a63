import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Citation, citedCases } from './cited-cases.ts';
import { coverageOf, type Specification } from './coverage.ts';
import { indexOf, pageOf } from './page.ts';

/** The pages by their path in the repository, and what must be fixed in titles or in specifications.json first. */
export function acceptancePages(root: string): { pages: ReadonlyMap<string, string>; errors: readonly string[] } {
  const specifications = readSpecifications();
  const citations = citationsIn(root, new Set(Object.keys(specifications)));
  const covered = Object.entries(specifications).map(([name, specification]) => ({
    name,
    title: specification.title,
    specification,
    coverage: coverageOf(name, specification, citations),
  }));
  const directory = 'docs/reference/acceptance';
  const pages = covered.map(
    ({ name, specification, coverage }) => [`${directory}/${name}.md`, pageOf(specification, coverage)] as const,
  );
  return {
    pages: new Map([[`${directory}/README.md`, indexOf(covered)], ...pages]),
    errors: covered.flatMap(({ coverage }) => coverage.errors),
  };
}

function readSpecifications(): Readonly<Record<string, Specification>> {
  return JSON.parse(readFileSync(join(import.meta.dirname, 'specifications.json'), 'utf8'));
}

/** Suites that other packages run, such as the conformance suite of drivers, are not named `*.spec.ts`. */
const tests = ['packages/*/{src,examples}/**/*.ts', 'apps/*/src/**/*.ts', 'e2e/**/*.ts'];

function citationsIn(root: string, specifications: ReadonlySet<string>): Citation[] {
  const files = globSync(tests, { cwd: root, exclude: (name) => name === 'node_modules' || name === 'dist' });
  return files
    .map((file) => file.replaceAll('\\', '/'))
    .sort()
    .flatMap((file) => citedCases(file, readFileSync(join(root, file), 'utf8'), specifications));
}
