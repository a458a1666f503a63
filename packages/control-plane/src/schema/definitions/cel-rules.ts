import { createRuleInspector, type RuleInspector } from '@flotilla/schema/validation';
import type { Field } from '../field.ts';

const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];
const hasLineBreaks = (text: string): boolean => /[\n\r]/.test(text);

/** The rules of a schema and its parts. `apart` is where items begin that cannot be matched with old ones. */
export function validateCelRules(schema: Field, apart?: string, inspect = createRuleInspector()): void {
  for (const rule of schema.at('x-kubernetes-validations').items()) validateRule(rule, apart, inspect);
  for (const [, property] of schema.at('properties').entries()) {
    validateCelRules(property, within(schema, apart), inspect);
  }
  for (const name of ['items', 'additionalProperties']) {
    const inner = schema.at(name);
    if (typeof inner.value !== 'object' || inner.value === null) continue;
    const correlated = name !== 'items' || schema.at('x-kubernetes-list-type').text === 'map';
    validateCelRules(inner, correlated ? within(schema, apart) : (apart ?? schema.path), inspect);
  }
}

const within = (schema: Field, apart: string | undefined): string | undefined =>
  apart ?? (schema.at('x-kubernetes-map-type').text === 'atomic' ? schema.path : undefined);

function validateRule(rule: Field, apart: string | undefined, inspect: RuleInspector): void {
  const text = rule.at('rule').text.trim();
  const message = rule.at('message');
  if (text === '') rule.at('rule').required('rule is not specified');
  else if (message.text !== '' && message.text.trim() === '') message.invalid('must be non-empty if specified');
  else if (hasLineBreaks(message.text.trim())) message.invalid('must not contain line breaks');
  else if (hasLineBreaks(text) && message.text.trim() === '') {
    message.required('message must be specified if rule contains line breaks');
  }
  const expression = rule.at('messageExpression');
  if (expression.text !== '' && expression.text.trim() === '') {
    expression.required('messageExpression must be non-empty if specified');
  }
  const reason = rule.at('reason');
  if (reason.present && !reasons.includes(reason.text)) reason.notSupported(reasons);
  if (text === '') return;
  const { compileError, usesOldSelf } = inspect({
    rule: text,
    ...(expression.text !== '' && { messageExpression: expression.text }),
    ...(rule.at('optionalOldSelf').flag && { optionalOldSelf: true }),
  });
  if (compileError !== undefined) rule.at('rule').invalid(`compilation failed: ${compileError}`, rule.value);
  else if (usesOldSelf && apart !== undefined) {
    rule.at('rule').invalid(`oldSelf cannot be used on the uncorrelatable portion of the schema within ${apart}`);
  } else if (!usesOldSelf && rule.at('optionalOldSelf').present) {
    rule.at('optionalOldSelf').invalid('may not be set if oldSelf is not used in rule');
  }
}
