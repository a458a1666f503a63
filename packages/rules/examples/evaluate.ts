import { matchesWildcard } from '@flotilla/rules';
import { CostBudget, celValue, createCel } from '@flotilla/rules/cel';
import { compileJsonPath } from '@flotilla/rules/jsonpath';
import { compileRegex } from '@flotilla/rules/regex';

const object = { status: { readyReplicas: 2, conditions: [{ type: 'Available', status: 'True' }] } };

// A glob, in which only the star has a meaning.
export const isMatching = matchesWildcard('web-*', 'web-frontend');

// A regular expression in Go's syntax, in linear time.
export const isLabel = compileRegex('^[a-z]([-a-z0-9]*[a-z0-9])?$').test('web-frontend');

// JSONPath in the dialect of kubectl.
export const [available] = compileJsonPath('.status.conditions[?(@.type=="Available")].status').find(object);

// CEL with the functions and the limits of Kubernetes.
const program = createCel({ variables: { object: 'dyn' } }).compile('object.status.readyReplicas >= 2');
const budget = new CostBudget({ perExpression: 1_000_000, inAll: 10_000_000 });
export const isReady = budget.spend((meter) => program.evaluate({ object: celValue(object) }, meter));
