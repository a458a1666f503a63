import { isProse, mostCharacters, visibleLength } from './long-prose.ts';

/** Where lines are broken: a word more or less later needs no other break. */
const column = 150;

const item = /^(\s*)([-*]|\d+\.) +/;
/** What would mean something else at the beginning of a line. */
const marker = /^([-*+>|]|#+|=+|\d+\.)$/;

/** A Markdown page whose long lines are broken. Paragraphs without one stay as they are; so do code, tables and HTML. */
export function wrapPage(page: string): string {
  const wrapped: string[] = [];
  let paragraph: string[] = [];
  let fence: string | undefined;
  const end = () => {
    wrapped.push(...wrapParagraph(paragraph));
    paragraph = [];
  };
  for (const line of page.split('\n')) {
    const [, mark] = /^\s*(```|---$)/.exec(line) ?? [];
    const opens = mark === '```' || (mark === '---' && wrapped.length === 0);
    const isPlain = fence !== undefined || opens || line.trim() === '' || !isProse(line) || /^\s*</.test(line);
    if (isPlain || item.test(line)) end();
    if (isPlain) wrapped.push(line);
    else paragraph.push(line);
    if (fence === undefined && opens) fence = mark;
    else if (mark === fence) fence = undefined;
  }
  end();
  return wrapped.join('\n');
}

function wrapParagraph(lines: readonly string[]): readonly string[] {
  const [first = ''] = lines;
  const isBrokenOnPurpose = lines.some((line) => /( {2}|\\)$/.test(line));
  if (isBrokenOnPurpose || !lines.some((line) => visibleLength(line) > mostCharacters)) return lines;
  const begin = item.exec(first)?.[0] ?? /^\s*/.exec(first)?.[0] ?? '';
  const indent = ' '.repeat(begin.length);
  const [head = '', ...words] = wordsOf([first.slice(begin.length), ...lines.slice(1)].join(' '));
  const wrapped = [begin + head];
  for (const word of words) {
    const last = wrapped.at(-1) ?? '';
    const longer = `${last} ${word}`;
    if (visibleLength(longer) <= column || marker.test(word)) wrapped[wrapped.length - 1] = longer;
    else wrapped.push(indent + word);
  }
  return wrapped;
}

/** Words of a text; a piece of code is one word, so that it is never broken. */
const wordsOf = (text: string): string[] => text.match(/(?:`[^`]*`|[^\s`])+|`/g) ?? [];
