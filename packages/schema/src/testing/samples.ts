import { compileRegex } from '@flotilla/rules/regex';
import type { StructuralSchema } from '../validation/structural-schema.ts';
import type { Random } from './random.ts';

/** Strings of the shapes that Kubernetes fields have. Which of them fit a field, its schema decides. */
const POOL = [
  'a',
  'cluster1',
  'my-name',
  'Ready',
  'my_Variable',
  'with space',
  'Größe 😀',
  'example.com/name',
  'hub.example.com',
  'work-agent',
  'work-agent-extra',
  'open-cluster-management-agent',
  'deployments:web:main',
  '*:*:*',
  'example.com/signer',
  'kubernetes.io/kube-apiserver-client',
  'arn:aws:eks:us-west-2:123456789012:cluster/hub',
  '10.0.0.1',
  '100%',
  '7%',
  '5',
  '12',
  '30m',
  '1h30m',
  'None',
  '500m',
  '2Gi',
  '-1.5e3',
] as const;

const BY_FORMAT: Readonly<Record<string, readonly [string, ...string[]]>> = {
  byte: ['aGVsbG8=', 'AAAA', 'Zg=='],
  'date-time': ['2026-01-31T12:00:00Z', '2024-02-29T23:59:59.123456+02:00', '1999-12-31t00:00:00z'],
};

/** Characters as a schema counts them. */
const length = (text: string): number => [...text].length;

const fits = (schema: StructuralSchema): ((text: string) => boolean) => {
  const matcher = schema.pattern === undefined ? /^/ : compileRegex(schema.pattern);
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema;
  return (text) => length(text) >= minLength && length(text) <= maxLength && matcher.test(text);
};

/** A string that the schema of a field accepts. */
export const sampleText = (schema: StructuralSchema, random: Random): string => {
  const known = schema.format ? BY_FORMAT[schema.format] : undefined;
  if (known) return random.pick(known);
  const [first, ...more] = POOL.filter(fits(schema));
  if (first === undefined) throw new Error(`no sample string fits the pattern ${schema.pattern}: add one to the pool`);
  return random.pick([first, ...more]);
};

/** A string that breaks the pattern of a field, if one of the usual mistakes does. */
export const brokenText = (schema: StructuralSchema, random: Random): string | undefined => {
  const { pattern } = schema;
  if (pattern === undefined) return undefined;
  const matcher = compileRegex(pattern);
  const [first, ...more] = ['-', 'UPPER_', 'a b', 'ä', '!', 'x\n', ''].filter(
    (text) => !matcher.test(text) && length(text) >= (schema.minLength ?? 0),
  );
  return first === undefined ? undefined : random.pick([first, ...more]);
};
