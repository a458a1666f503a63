import { qualifiedNamePattern } from '@flotilla/rules/values';
import { int64, listByKey, listOf, object, oneOf, optional, text, timestamp } from './shapes.ts';

const condition = object('One aspect of the current state.', {
  type: text('What this condition is about, in CamelCase.', { maxLength: 316, pattern: qualifiedNamePattern }),
  status: oneOf('Whether the condition holds.', ['True', 'False', 'Unknown']),
  reason: text('Why the condition has its status, as one CamelCase word for programs.', {
    minLength: 1,
    maxLength: 1024,
    pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
  }),
  message: text('Human-readable details; may be empty.', { maxLength: 32768 }),
  lastTransitionTime: timestamp('When the status last changed.'),
  observedGeneration: optional(int64('The metadata.generation that this condition was computed from.', { minimum: 0 })),
});

/** Conditions that are unique by type. */
export const conditions = (description: string) => listByKey(description, ['type'], condition);

/** Conditions as a plain list: kinds whose published schema never declared the key. */
export const plainConditions = (description: string) => listOf(description, condition);
