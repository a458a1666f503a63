import { expect, it } from 'vitest';
import { TurnsOfOwners } from './turns-of-owners.ts';

const allOf = (turns: TurnsOfOwners<string>): string[] => {
  const taken: string[] = [];
  for (let task = turns.next(); task !== undefined; task = turns.next()) taken.push(task);
  return taken;
};

it('gives each owner a task in turn, and the tasks of one in their order', () => {
  const turns = new TurnsOfOwners<string>();
  for (const task of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2']) turns.add(task.charAt(0), task);
  expect(turns.size).toBe(6);
  expect(turns.next()).toBe('a1');
  // Who comes again has had a turn.
  turns.add('b', 'b2');
  expect(allOf(turns)).toEqual(['b1', 'c1', 'a2', 'b2', 'c2', 'a3']);
  expect(turns.size).toBe(0);
});

it('gives no task that was given up', () => {
  const turns = new TurnsOfOwners<string>();
  for (const task of ['a1', 'a2', 'b1']) turns.add(task.charAt(0), task);
  turns.delete('a', 'a1');
  turns.delete('b', 'b1');
  turns.delete('b', 'b1');
  expect(turns.size).toBe(1);
  expect(allOf(turns)).toEqual(['a2']);
});
