/** A line of a tree, and what is below it. */
export interface Branch {
  readonly text: string;
  readonly below?: readonly Branch[];
}

/** A tree as `tree` prints it. */
export const formatTree = (root: string, branches: readonly Branch[]): string =>
  [root, ...drawn(branches)].map((line) => `${line}\n`).join('');

const drawn = (branches: readonly Branch[], indent = ''): string[] =>
  branches.flatMap(({ text, below = [] }, index) => {
    const last = index === branches.length - 1;
    return [`${indent}${last ? '└── ' : '├── '}${text}`, ...drawn(below, `${indent}${last ? '    ' : '│   '}`)];
  });
