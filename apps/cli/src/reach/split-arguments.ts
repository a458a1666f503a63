/** Words of a text: blanks separate them, quotes keep them together. */
export const splitArguments = (text: string): string[] =>
  [...text.matchAll(/(?:"([^"]*)"|'([^']*)'|([^\s"']+))+/g)].map(([word]) =>
    word.replaceAll(/"([^"]*)"|'([^']*)'/g, (_, double?: string, single?: string) => double ?? single ?? ''),
  );
