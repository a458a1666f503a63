import { describe, expect, it } from 'vitest';
import { authorFrames, renderError } from './render-error.ts';

const failure = (): unknown => {
  try {
    return JSON.parse('{');
  } catch (error) {
    return error;
  }
};

describe('an error of the functions of an add-on', () => {
  it('names the add-on and the cluster once, and has the stack of the author', () => {
    const error = renderError('add-on a on cluster c', renderError('add-on a on cluster c', failure()));
    expect(error.message).toMatch(/^add-on a on cluster c: (?!add-on)/);
    expect(error.stack?.split('\n')[0]).toBe(`Error: ${error.message}`);
    expect(error.stack).toContain('render-error.spec.ts');
  });

  it('may be any value', () => {
    expect(renderError('a', 'text').message).toBe('a: text');
    expect(authorFrames('text')).toEqual([]);
  });

  it('shows frames of the project alone', () => {
    const frames = authorFrames(failure());
    expect(frames[0]).toContain('render-error.spec.ts');
    expect(frames.join()).not.toMatch(/node_modules|node:/);
  });
});
