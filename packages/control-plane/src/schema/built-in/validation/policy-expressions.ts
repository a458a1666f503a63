import { type Cel, CelCompileError, celGoType } from '@flotilla/rules/cel';
import { createExpressionChecker, type ExpressionScope } from '../../../policy-expressions/expressions.ts';
import type { Field } from '../../field.ts';
import { qualifiedName } from '../../names.ts';

const maxMatchConditions = 64;
const maxAuditAnnotations = 20;
const longestValueExpression = 5 * 1024;
const reasons = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];
const reserved = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

/** Compiles the expressions of a policy, and reports their errors. */
export function validateExpressions(policy: Field): void {
  const spec = policy.at('spec');
  const params = spec.at('paramKind').present;
  const compilers = createCompilers({ params, authorizer: true });
  validateMatchConditions(spec.at('matchConditions'), compilers());
  const variables: Record<string, string> = {};
  for (const variable of spec.at('variables').items()) validateVariable(variable, variables, compilers);
  const [validations, annotations] = [spec.at('validations'), spec.at('auditAnnotations')];
  if (validations.list.length === 0 && annotations.list.length === 0) {
    for (const field of [validations, annotations]) {
      field.required('validations or auditAnnotations must contain at least one item');
    }
    return;
  }
  const composed = compilers(variables);
  const messages = createCompilers({ params, authorizer: false });
  for (const validation of validations.items()) validateValidation(validation, composed, () => messages(variables));
  validateAnnotations(annotations, policy.at('metadata').at('name').text, composed);
}

/** Finds a compiler for expressions that may speak of these variables. Made when it is needed: it is expensive. */
type Compilers = (variables?: Readonly<Record<string, string>>) => () => Cel;

function createCompilers(scope: ExpressionScope): Compilers {
  const known = new Map<string, Cel>();
  return (variables = {}) => {
    // Variables are only known to those that come after them.
    const key = JSON.stringify(variables);
    const names = { ...variables };
    return () => {
      const before = known.get(key);
      if (before) return before;
      const cel = createExpressionChecker(key === '{}' ? scope : { ...scope, variables: names });
      known.set(key, cel);
      return cel;
    };
  };
}

/** The type of an expression; undefined if it does not compile or has another type than required, which is reported. */
function compile(field: Field, cel: Cel, wanted: readonly string[], text = field.text): string | undefined {
  try {
    const { type } = cel.compile(text);
    if (wanted.length === 0 || wanted.includes(type)) return type;
    const shown = wanted.map(celGoType);
    const must = shown.length === 1 ? `must evaluate to ${shown[0]}` : `must evaluate to one of [${shown.join(' ')}]`;
    field.invalid(`${must} but got ${celGoType(type)}`, text);
  } catch (error) {
    if (!(error instanceof CelCompileError)) throw error;
    field.invalid(`compilation failed: ${error.display}`, text);
  }
  return undefined;
}

function validateMatchConditions(conditions: Field, cel: () => Cel): void {
  if (conditions.list.length > maxMatchConditions) conditions.tooMany(maxMatchConditions);
  const names = new Set<string>();
  for (const condition of conditions.items()) {
    const [expression, name] = [condition.at('expression'), condition.at('name')];
    const text = expression.text.trim();
    if (text === '') expression.required();
    else compile(expression, cel(), ['bool'], text);
    if (name.text === '') name.required();
    else {
      name.check(qualifiedName);
      if (names.has(name.text)) name.duplicate();
      names.add(name.text);
    }
  }
}

function validateVariable(variable: Field, known: Record<string, string>, compilers: Compilers): void {
  const [name, expression] = [variable.at('name'), variable.at('expression')];
  if (name.text.trim() === '') name.required('name is not specified');
  else if (!/^[_a-zA-Z]\w*$/.test(name.text) || reserved.has(name.text)) name.invalid('must be a valid CEL identifier');
  if (expression.text.trim() === '') expression.required('expression is not specified');
  else known[name.text] = variableType(compile(expression, compilers(known)(), []));
}

/** Parts of the request have types that only the environment has in which they were declared. */
const variableType = (type = 'dyn'): string => (type.includes('$') ? 'dyn' : type);

function validateValidation(validation: Field, cel: () => Cel, messages: () => () => Cel): void {
  const [expression, message] = [validation.at('expression'), validation.at('message')];
  const [made, reason] = [validation.at('messageExpression'), validation.at('reason')];
  if (expression.text.trim() === '') expression.required('expression is not specified');
  else compile(expression, cel(), ['bool']);
  if (made.text !== '' && made.text.trim() === '') made.invalid('must be non-empty if specified');
  else if (made.text !== '') compile(made, messages()(), ['string']);
  if (message.text !== '' && message.text.trim() === '') message.invalid('must be non-empty if specified');
  else if (/[\n\r]/.test(message.text.trim())) message.invalid('must not contain line breaks');
  if (reason.present && !reasons.includes(reason.text)) reason.notSupported(reasons);
}

function validateAnnotations(annotations: Field, policy: string, cel: () => Cel): void {
  if (annotations.list.length > maxAuditAnnotations) {
    annotations.invalid(`must not have more than ${maxAuditAnnotations} auditAnnotations`);
  }
  const keys = new Set<string>();
  for (const annotation of annotations.items()) {
    const [key, value] = [annotation.at('key'), annotation.at('valueExpression')];
    if (policy === '') key.invalid('requires metadata.name be non-empty');
    else key.with(`${policy}/${key.text}`).check(qualifiedName);
    const text = value.text.trim();
    if (text === '') value.required('valueExpression is not specified');
    else if (text.length > longestValueExpression) {
      value.required(`must not exceed ${longestValueExpression} bytes in length`);
    } else compile(value, cel(), ['string', 'null']);
    if (keys.has(key.text)) key.duplicate();
    keys.add(key.text);
  }
}
