import type { PlacementSpec } from '@flotilla/api-types';
import { CliError } from '../errors/cli-error.ts';

type Configuration = NonNullable<NonNullable<PlacementSpec['prioritizerPolicy']>['configurations']>[number];

const forms = 'Give BuiltIn:<Type>:<Weight> or AddOn:<Resource>:<Score>:<Weight>, for example BuiltIn:Steady:3.';
const builtIns = ['Balance', 'Steady', 'ResourceAllocatableCPU', 'ResourceAllocatableMemory'];

/** `BuiltIn:Balance:4` or `AddOn:cpu:usage:2` as a configuration of a placement. */
export function parsePrioritizer(text: string): Configuration {
  const [type, ...parts] = text.split(':');
  const refuse = (why: string) => new CliError('usage', `--prioritizers: "${text}" ${why}`, forms);
  const weightOf = (value: string | undefined): number => {
    const weight = Number(value);
    if (!/^-?\d+$/.test(value ?? '') || weight < -10 || weight > 10)
      throw refuse(`has the weight "${value}", which must be a whole number from -10 to 10`);
    return weight;
  };
  if (type === 'BuiltIn' && parts.length === 2) {
    const [builtIn = '', weight] = parts;
    if (!builtIns.includes(builtIn)) throw refuse(`names "${builtIn}", which is none of ${builtIns.join(', ')}`);
    return { scoreCoordinate: { type, builtIn }, weight: weightOf(weight) };
  }
  if (type === 'AddOn' && parts.length === 3) {
    const [resourceName = '', scoreName = '', weight] = parts;
    if (!resourceName || !scoreName) throw refuse('lacks the name of a resource or of a score');
    return { scoreCoordinate: { type, addOn: { resourceName, scoreName } }, weight: weightOf(weight) };
  }
  throw refuse('cannot be understood');
}
