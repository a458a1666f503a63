import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync } from 'oxc-parser';

/** An export without a doc comment. */
export interface Undocumented {
  file: string;
  /** Counted from 1. */
  line: number;
  name: string;
}

/** What a file exports by a name; `*` stands for all that another file exports. */
interface Export extends Undocumented {
  isDocumented: boolean;
  /** The other file that declares it, and how that calls it. */
  origin?: { file: string; name: string } | undefined;
}

/**
 * The exports of an entry point without a doc comment, also those that it has from other files of its package. Members are left to
 * their authors: a name often says enough.
 */
export function undocumentedExports(
  entry: string,
  read = (file: string): string => readFileSync(file, 'utf8'),
): Undocumented[] {
  const modules = new Map<string, Export[]>();
  const missing = new Map<string, Undocumented>();
  const look = (from: string, wanted: string): void => {
    const exports = modules.get(from) ?? exportsOf(from, read(from));
    modules.set(from, exports);
    for (const { isDocumented, origin, ...found } of exports) {
      if (wanted !== '*' && found.name !== '*' && found.name !== wanted) continue;
      if (origin) look(origin.file, found.name === '*' ? wanted : origin.name);
      else if (!isDocumented) missing.set(`${found.file}:${found.line}`, found);
    }
  };
  look(entry, '*');
  return [...missing.values()];
}

/** What a file exports, but for what it has from other packages. */
function exportsOf(file: string, source: string): Export[] {
  const { module, comments, errors } = parseSync(file, source);
  const [error] = errors;
  if (error) throw new Error(`${file} cannot be parsed: ${error.message}`);
  const documented = new Set<string>();
  const found = module.staticExports.flatMap(({ start, entries }) => {
    const comment = comments.findLast(({ end }) => end <= start);
    const hasComment = comment?.value.startsWith('*') && source.slice(comment.end, start).trim() === '';
    const line = source.slice(0, start).split('\n').length;
    return entries.map(({ exportName, importName, moduleRequest, isType }) => {
      const name = exportName.name ?? (exportName.kind === 'None' ? '*' : 'default');
      // A function is documented by the comment of any of its overloads, a type not by that of a value of its name.
      const key = `${name} ${isType}`;
      if (hasComment) documented.add(key);
      return { key, name, line, from: moduleRequest?.value, original: importName.name ?? '*' };
    });
  });
  return found
    .filter(({ from }) => from?.startsWith('.') ?? true)
    .map(({ key, name, line, from, original }) => ({
      ...{ file, name, line, isDocumented: documented.has(key) },
      ...(from !== undefined && { origin: { file: join(dirname(file), from), name: original } }),
    }));
}
