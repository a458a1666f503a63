import { defineConfig } from 'vitest/config';
import { runOptions } from '../vitest.shared.ts';

export default defineConfig({ test: { ...runOptions, name: 'tools', include: ['**/*.spec.ts'], isolate: false } });
