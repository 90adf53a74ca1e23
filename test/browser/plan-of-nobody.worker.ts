import { exposeTasks } from '../../src/rpc/expose.js';

// Stands where the plan worker would, and cannot plan.
exposeTasks({ take: async () => {}, plan: async () => ({ by: 'another worker' }) });
