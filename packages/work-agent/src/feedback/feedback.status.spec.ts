import { describe, expect, it } from 'vitest';
import { feedbackCondition } from './feedback.status.ts';

describe('the condition StatusFeedbackSynced', () => {
  it('[work 18.J-129] is true without rules', () => {
    expect(feedbackCondition(undefined)).toEqual({
      type: 'StatusFeedbackSynced',
      status: 'True',
      reason: 'NoStatusFeedbackSynced',
      message: '',
    });
  });

  it('is true when all values were read', () => {
    expect(feedbackCondition([])).toMatchObject({ status: 'True', reason: 'StatusFeedbackSynced', message: '' });
  });

  it('[work 18.J-132] is false with one error, and has its message', () => {
    expect(feedbackCondition(['a'])).toMatchObject({
      status: 'False',
      reason: 'StatusFeedbackSyncFailed',
      message: 'Sync status feedback failed with error a',
    });
  });

  it('lists several errors in brackets, each once', () => {
    expect(feedbackCondition(['a', 'b', 'a']).message).toBe('Sync status feedback failed with error [a, b]');
  });
});
