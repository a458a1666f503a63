import { expect, it } from 'vitest';
import { Turns } from './turns.ts';

it('lets so many go at once, and the others in their order as those end, once each', async () => {
  const turns = new Turns(2);
  const began: string[] = [];
  const take = async (name: string) => {
    const end = await turns.take('one');
    began.push(name);
    return end;
  };
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const first = await take('a');
  const second = await take('b');
  const third = take('c');
  void take('d');
  await settled();
  expect(began).toEqual(['a', 'b']);
  first();
  first();
  await settled();
  expect(began).toEqual(['a', 'b', 'c']);
  second();
  (await third)();
  await settled();
  expect(began).toEqual(['a', 'b', 'c', 'd']);
  (await take('e'))();
});

it('gives each sender the next turn in turn, however many wait of one', async () => {
  const turns = new Turns(1);
  const began: string[] = [];
  const end = await turns.take('many');
  for (const name of ['many', 'many', 'many', 'few', 'few']) {
    void turns.take(name).then((over) => {
      began.push(name);
      over();
    });
  }
  end();
  await expect.poll(() => began).toHaveLength(5);
  expect(began).toEqual(['many', 'few', 'many', 'few', 'many']);
  (await turns.take('many'))();
});
