import { defineConfig } from 'vitest/config';
import { reporters } from '../vitest.shared.ts';

export default defineConfig({ test: { name: 'tools', reporters, include: ['**/*.spec.ts'] } });
