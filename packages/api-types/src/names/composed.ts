import type { KindName } from './resources.ts';

/** The names between braces in a template: `'{cluster}:{agent}'` has `'cluster' | 'agent'`. */
type ParameterOf<Template extends string> = Template extends `${string}{${infer Parameter}}${infer Rest}`
  ? Parameter | ParameterOf<Rest>
  : never;

/** One value for each parameter of a template. */
export type ParametersOf<Template extends string> = { readonly [P in ParameterOf<Template>]: string };

/** Regular expressions that narrow parameters; a parameter without one may hold anything but `:`, `/` and white space. */
export type ParameterPatterns<Template extends string> = { readonly [P in ParameterOf<Template>]?: string };

/** A name on the wire that is put together from parts, such as the user name of an agent. */
export interface FormattedName<Template extends string = string> {
  readonly template: Template;
  readonly on: readonly KindName[];
  readonly meaning: string;
  /** The regular expression of each parameter, in the order of the template. */
  readonly patterns: ReadonlyMap<string, string>;
  /**
   * Builds the name. Throws a TypeError on a part that would make another name of it: identities are built here,
   * and a cluster named `a:b` must not become agent `b` of cluster `a`.
   */
  of(parts: ParametersOf<Template>): string;
}

/** A composed name that can be taken apart again without guessing. */
export interface ComposedName<Template extends string = string> extends FormattedName<Template> {
  /** The parts of a name, or undefined if it is not of this form. */
  parse(name: string): ParametersOf<Template> | undefined;
}

const parameter = /\{(\w+)\}/g;
const anyPart = String.raw`[^:/\s]+`;

const escapeLiteral = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

const patternsOf = (template: string, given: Readonly<Record<string, string | undefined>>) =>
  new Map(Array.from(template.matchAll(parameter), ([, name = '']) => [name, given[name] ?? anyPart]));

/** A composed name whose parts cannot be distinguished afterwards (two of them are joined by a character both may hold). */
export const formatted = <const Template extends string>(
  template: Template,
  on: readonly KindName[],
  meaning: string,
  patterns: ParameterPatterns<Template> = {},
): FormattedName<Template> => {
  const parameterPatterns = patternsOf(template, patterns);
  return {
    template,
    on,
    meaning,
    patterns: parameterPatterns,
    of(parts) {
      const given: Readonly<Record<string, string>> = parts;
      return template.replace(parameter, (_, name: string) => {
        const part = given[name] ?? '';
        const pattern = parameterPatterns.get(name) ?? anyPart;
        if (!new RegExp(`^(?:${pattern})$`).test(part)) {
          throw new TypeError(`${name} ${JSON.stringify(part)} does not fit ${template}: it must match ${pattern}`);
        }
        return part;
      });
    },
  };
};

/** A composed name with its inverse. */
export const composed = <const Template extends string>(
  template: Template,
  on: readonly KindName[],
  meaning: string,
  patterns: ParameterPatterns<Template> = {},
): ComposedName<Template> => {
  const name = formatted(template, on, meaning, patterns);
  let source = '';
  let end = 0;
  for (const match of template.matchAll(parameter)) {
    source += escapeLiteral(template.slice(end, match.index));
    source += `(?<${match[1]}>${name.patterns.get(match[1] ?? '')})`;
    end = match.index + match[0].length;
  }
  const whole = new RegExp(`^${source}${escapeLiteral(template.slice(end))}$`);
  return {
    ...name,
    parse: (text) => {
      const groups = whole.exec(text)?.groups;
      return groups && ({ ...groups } as ParametersOf<Template>);
    },
  };
};
