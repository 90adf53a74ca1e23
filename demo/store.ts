/** The page's state in one place: whoever changes it says so here, whoever shows it listens. */
export type Store<State> = {
  readonly state: State;
  /** Replaces fields; listeners are told at once. */
  set(patch: Partial<State>): void;
  listen(listener: (state: State, before: State) => void): void;
};

export function createStore<State extends object>(initial: State): Store<State> {
  let state = initial;
  const listeners: ((state: State, before: State) => void)[] = [];
  return {
    get state() {
      return state;
    },
    set(patch) {
      const before = state;
      state = { ...state, ...patch };
      for (const listener of listeners) listener(state, before);
    },
    listen(listener) {
      listeners.push(listener);
    },
  };
}
