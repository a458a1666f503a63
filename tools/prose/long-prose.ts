/** A line or sentence of a page that is too long to be read in one go. */
export interface LongProse {
  /** Counted from 1. */
  line: number;
  kind: 'line' | 'sentence';
  what: string;
}

/** A line of prose has at most so many characters: the difference of a change then shows the sentence that changed. */
export const mostCharacters = 160;
/** A sentence has at most so many words. */
export const mostWords = 30;

/** Lines and sentences of a Markdown page that are too long. Code, tables and headings count for neither, and links by their text. */
export function longProse(page: string): LongProse[] {
  const prose = withoutCode(page);
  const lines = prose.split('\n');
  const found = lines.flatMap((text, index): LongProse[] => {
    const length = isProse(text) ? visibleLength(text) : 0;
    return length > mostCharacters
      ? [{ line: index + 1, kind: 'line', what: `the line has ${length} characters` }]
      : [];
  });
  for (const { line, text } of paragraphs(lines)) {
    for (const sentence of sentences(text)) {
      const words = sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}`]/u.test(word));
      if (words.length > mostWords) {
        const begin = words.slice(0, 6).join(' ');
        found.push({ line, kind: 'sentence', what: `a sentence has ${words.length} words: ${begin} …` });
      }
    }
  }
  return found.sort((a, b) => a.line - b.line);
}

/** Keeps the number of lines. */
const withoutCode = (page: string): string =>
  page
    .replace(/^---\n.*?^---$/ms, blank)
    .replace(/^( *)```.*?^\1```/gms, blank)
    .replace(/<!--.*?-->/gs, blank);
const blank = (text: string): string => text.replace(/[^\n]/g, '');

/** Whether a line is neither a heading, nor a row of a table, nor the target of a link. */
export const isProse = (line: string): boolean => !/^\s*(\||#|\[[^\]]+\]: )/.test(line);

/** Links by what a reader sees of them. */
const withoutTargets = (text: string): string => text.replace(/\]\([^)]*\)/g, ']');

/** How long a line is, with links as a reader sees them. */
export const visibleLength = (text: string): number => withoutTargets(text).length;

/** Paragraphs and items of lists, with the line on which each begins. */
function paragraphs(lines: readonly string[]): { line: number; text: string }[] {
  const found: { line: number; text: string }[] = [];
  let isOpen = false;
  lines.forEach((text, index) => {
    const begins = !isOpen || /^\s*([-*]|\d+\.) /.test(text);
    isOpen = text.trim() !== '' && isProse(text);
    if (!isOpen) return;
    const plain = withoutTargets(text.replace(/^\s*([-*]|\d+\.) /, ''));
    const last = found.at(-1);
    if (begins || !last) found.push({ line: index + 1, text: plain });
    else last.text += ` ${plain}`;
  });
  return found;
}

/** A sentence ends with a full stop, a question or an exclamation mark. */
const sentences = (text: string): string[] =>
  text
    .replace(/`[^`]*`/g, '`code`')
    .split(/(?<=[.?!])\)?\s+/)
    .filter((sentence) => sentence !== '');
