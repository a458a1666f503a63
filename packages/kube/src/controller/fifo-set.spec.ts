import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FifoSet } from './fifo-set.ts';

it('gives items in the order of their arrival, each once, whatever is added and removed between', () => {
  const act = fc.oneof(
    fc.nat(9).map((item) => ({ act: 'add' as const, item })),
    fc.nat(9).map((item) => ({ act: 'delete' as const, item })),
    fc.constant({ act: 'shift' as const }),
  );
  fc.assert(
    fc.property(fc.array(act, { size: '+1' }), (acts) => {
      const set = new FifoSet<number>();
      let model: number[] = [];
      for (const next of acts) {
        if (next.act === 'shift') {
          expect(set.shift()).toBe(model.shift());
        } else if (next.act === 'delete') {
          expect(set.delete(next.item)).toBe(model.includes(next.item));
          model = model.filter((item) => item !== next.item);
        } else {
          set.add(next.item);
          if (!model.includes(next.item)) model.push(next.item);
        }
        expect(set.size).toBe(model.length);
      }
    }),
  );
});
