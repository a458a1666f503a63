/** A test that names a case of a specification in its title. */
export interface Citation {
  /** `work` in `[work 18.A-12]`. */
  specification: string;
  /** `18.A-12`, or the number alone. */
  reference: string;
  /** Relative to the root, with `/`. */
  file: string;
  /** Of the test, without the names of its cases. */
  title: string;
}

/** `[work 18.A-12]`, `[registration-hub 13, W3]`, `[cli A05]`: a specification and the numbers of its cases. */
const tag = /\[([a-z]+(?:-[a-z]+)*) ((?:[0-9]+\.[0-9A-Z]+-)?[A-Z]?[0-9]+(?:, (?:[0-9]+\.[0-9A-Z]+-)?[A-Z]?[0-9]+)*)\]/g;

/** The cases that titles in a source file name. A title is any string or template that holds one. */
export function citedCases(file: string, source: string, specifications: ReadonlySet<string>): Citation[] {
  const lines = source.split('\n');
  return lines.flatMap((line, at) =>
    [...line.matchAll(tag)]
      .filter(([, specification = '']) => specifications.has(specification))
      .flatMap(({ index, 1: specification = '', 2: references = '' }) => {
        const title = [...groupsAround(lines, at), titleAround(line, index)].filter(Boolean).join(' ');
        return references.split(', ').map((reference) => ({ specification, reference, file, title }));
      }),
  );
}

/** The titles of the blocks around a line, groups and, for a comment, its test: those above it with less indentation, the outermost first. */
function groupsAround(lines: readonly string[], at: number): string[] {
  const groups: string[] = [];
  let indentation = indentationOf(lines[at] ?? '');
  for (const line of lines.slice(0, at).reverse()) {
    if (line.trim() === '' || indentationOf(line) >= indentation) continue;
    indentation = indentationOf(line);
    const title = /^\s*(?:describe|it)\((['"`])(.*?)(?<!\\)\1/.exec(line)?.[2];
    if (title !== undefined) groups.unshift(plain(title));
  }
  return groups;
}

const indentationOf = (line: string): number => line.length - line.trimStart().length;

/** The text between the quotes around a position; none in a comment. */
function titleAround(line: string, position: number): string {
  if (line.trimStart().startsWith('//')) return '';
  const start = Math.max(...['`', "'", '"'].map((quote) => line.lastIndexOf(quote, position)));
  const quote = line[start] ?? "'";
  const rest = line.slice(start + 1);
  const length = rest.search(new RegExp(`(?<!\\\\)${quote}`));
  return plain(length < 0 ? rest : rest.slice(0, length));
}

/** A title without the names of cases and without escapes. */
const plain = (text: string): string => text.replaceAll('\\', '').replace(tag, '').replace(/\s+/g, ' ').trim();
