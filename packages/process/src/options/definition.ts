import { KubeError } from '@flotilla/kube';
import type { FeatureGates } from './feature-gates.ts';

interface CommonDefinition {
  /** What it is for, in one or two sentences. Shown by --help and in the reference. */
  description: string;
  /** Without the dashes. Default: the key in kebab-case, `kubeApiQps` → `kube-api-qps`. */
  flag?: string;
  /** One letter, for `-v`. */
  short?: string;
  /** Name of the environment variable. Default: the prefix and the flag, `MY_CONTROLLER_KUBE_API_QPS`. */
  env?: string;
  /** The heading under which help and reference show it. */
  group?: string;
  /** What to use instead; using it warns. */
  deprecated?: string;
}

/** A text: a path, a name, an address. */
export interface StringDefinition extends CommonDefinition {
  type: 'string';
  default?: string;
  required?: true;
  /** The value is not repeated in errors. */
  secret?: true;
  /** Returns what is wrong with the value and which form it needs, or undefined. */
  validate?: (value: string) => string | undefined;
}

/** A number within bounds. */
export interface NumberDefinition extends CommonDefinition {
  type: 'integer' | 'number';
  default?: number;
  required?: true;
  min?: number;
  max?: number;
  /** 0 is read as the default, whatever the least value is. */
  zeroIsDefault?: true;
}

/** `--flag`, `--flag=false`. False by default. */
export interface BooleanDefinition extends CommonDefinition {
  type: 'boolean';
  default?: boolean;
}

/** `1m30s` on the outside, milliseconds on the inside. */
export interface DurationDefinition extends CommonDefinition {
  type: 'duration';
  default?: string;
  required?: true;
  min?: string;
  /** 0 is read as the default, whatever the least value is. */
  zeroIsDefault?: true;
}

/** One of a closed set. */
export interface ChoiceDefinition extends CommonDefinition {
  type: 'choice';
  choices: readonly string[];
  default?: string;
  required?: true;
}

/** `--flag=a,b --flag=c`. Empty by default. */
export interface ListDefinition extends CommonDefinition {
  type: 'list';
  default?: readonly string[];
  /** False: one element per occurrence, because elements may contain commas. */
  split?: false;
}

/** `--flag=key=value,other=value`. Empty by default. */
export interface MapDefinition extends CommonDefinition {
  type: 'map';
  default?: Readonly<Record<string, string>>;
}

/** `--feature-gates=A=true,B=false`, each one of a table. */
export interface GatesDefinition extends CommonDefinition {
  type: 'gates';
  gates: FeatureGates;
}

/** Any option. */
export type OptionDefinition =
  | StringDefinition
  | NumberDefinition
  | BooleanDefinition
  | DurationDefinition
  | ChoiceDefinition
  | ListDefinition
  | MapDefinition
  | GatesDefinition;

/** Options of a process by the name that the code uses. */
export type OptionDefinitions = Readonly<Record<string, OptionDefinition>>;

type Scalar<D extends OptionDefinition> = D extends ChoiceDefinition
  ? D['choices'][number]
  : D extends StringDefinition
    ? string
    : number;

/** What the code gets for a definition; a scalar without default that is not required may be absent. */
export type OptionValue<D extends OptionDefinition> = D extends GatesDefinition
  ? Readonly<Record<keyof D['gates'] & string, boolean>>
  : D extends BooleanDefinition
    ? boolean
    : D extends ListDefinition
      ? readonly string[]
      : D extends MapDefinition
        ? Readonly<Record<string, string>>
        : D extends { required: true } | { default: string | number }
          ? Scalar<D>
          : Scalar<D> | undefined;

/** The parsed options, typed by their definitions. */
export type OptionValues<D extends OptionDefinitions> = { readonly [K in keyof D]: OptionValue<D[K]> };

/** The prefix of environment variables of a program: `my-controller` → `MY_CONTROLLER`. */
export const envPrefixOf = (program: string): string => program.toUpperCase().replace(/[^A-Z0-9]+/g, '_');

/** Names that every process has. */
export const builtinFlags = ['help', 'version', 'config'] as const;

/** The flag of an option, without the dashes. */
export const flagOf = (key: string, definition: OptionDefinition): string =>
  definition.flag ?? key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** The option that a flag, without the dashes, sets. */
export function optionByFlag(
  definitions: OptionDefinitions,
): Map<string, { key: string; definition: OptionDefinition }> {
  return new Map(
    Object.entries(definitions).map(([key, definition]) => [flagOf(key, definition), { key, definition }]),
  );
}

/** The environment variable of an option. */
export const envOf = (key: string, definition: OptionDefinition, prefix: string): string =>
  definition.env ?? `${prefix}_${flagOf(key, definition).toUpperCase().replaceAll('-', '_')}`;

/** Declares options; what the code gets is inferred from it. Two of one flag, or the flag of a built-in one, are refused. */
export function defineOptions<const D extends OptionDefinitions>(definitions: D): D {
  const flags = new Map<string, string>(builtinFlags.map((flag) => [flag, `the built-in --${flag}`]));
  for (const [key, definition] of Object.entries(definitions)) {
    const flag = flagOf(key, definition);
    const taken = flags.get(flag);
    if (taken !== undefined) {
      throw new KubeError('Config', `option ${key} has the flag --${flag}, which is that of ${taken}; give it another`);
    }
    flags.set(flag, `option ${key}`);
  }
  return definitions;
}
