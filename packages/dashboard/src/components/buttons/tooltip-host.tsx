import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { after } from '../../lib/browser/clock.ts';

const delayMs = 350;
/** Within this time after a hint was shown, the next hint appears without a delay. */
const skipDelayMs = 200;
/** Gives the pointer time to move from the button to its hint. */
const leaveMs = 120;
const gap = 6;
const margin = 8;

interface Shown {
  readonly anchor: Element;
  readonly text: string;
}

const anchorAt = (target: EventTarget | null) =>
  target instanceof Element ? (target.closest('[data-tooltip]') ?? undefined) : undefined;

/** Shows the hints of all `Tooltip`s, one at a time. It is rendered once. */
export function TooltipHost() {
  const [shown, setShown] = useState<Shown>();
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => follow(setShown, () => box.current), []);
  useLayoutEffect(() => {
    if (shown !== undefined && box.current !== null) place(box.current, shown.anchor);
  }, [shown]);
  if (shown === undefined) return null;
  return (
    <div
      ref={box}
      aria-hidden="true"
      data-tooltip-shown=""
      className="enter pointer-events-auto fixed z-70 max-w-72 rounded-md bg-text px-2 py-1 text-sm text-bg shadow-float"
    >
      {shown.text}
    </div>
  );
}

/** Places the hint above its button, or below if there is no room. */
function place(box: HTMLElement, anchor: Element): void {
  const at = anchor.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = box;
  const { clientWidth } = document.documentElement;
  const left = at.left + at.width / 2 - width / 2;
  const above = at.top - gap - height;
  box.style.left = `${Math.max(margin, Math.min(left, clientWidth - width - margin))}px`;
  box.style.top = `${above < margin ? at.bottom + gap : above}px`;
}

/** The state of the one hint that is shown or about to be shown. */
function hint(show: (shown: Shown | undefined) => void) {
  let current: Element | undefined;
  let isShown = false;
  let skips = false;
  let stop = () => {};
  const hide = () => {
    stop();
    if (isShown) {
      show(undefined);
      skips = true;
      stop = after(skipDelayMs, () => {
        skips = false;
      });
    }
    isShown = false;
    current = undefined;
  };
  const open = () => {
    const text = current?.isConnected === true ? current.getAttribute('data-tooltip') : null;
    // An open menu says more than the hint of its button, which would cover it.
    if (current === undefined || text === null || current.ariaExpanded === 'true') return hide();
    isShown = true;
    show({ anchor: current, text });
  };
  return {
    hide,
    isShown: () => isShown,
    /** Called when the pointer or the focus reaches a button. */
    goTo(anchor: Element, isFocus: boolean) {
      const atOnce = isFocus || isShown || skips;
      if (anchor === current && !isFocus) {
        if (isShown) stop();
        return;
      }
      stop();
      current = anchor;
      if (atOnce) open();
      else stop = after(delayMs, open);
    },
    /** Called when the pointer is on the hint. */
    stay: () => stop(),
    /** Called when the pointer or the focus is elsewhere. */
    leave() {
      stop();
      if (isShown) stop = after(leaveMs, hide);
      else current = undefined;
    },
  };
}

/** Follows the pointer and the focus. @returns a function that stops it */
function follow(show: (hint: Shown | undefined) => void, box: () => Element | null): () => void {
  const shown = hint(show);
  // After a click the hint of that button stays hidden until the pointer returns to the button.
  let isHeld = false;
  let clicked: Element | undefined;
  const inBox = (target: EventTarget | null) => target instanceof Node && box()?.contains(target) === true;
  const listeners = {
    pointerover(event: PointerEvent) {
      if (event.pointerType === 'touch') return;
      if (inBox(event.target)) return shown.stay();
      const anchor = anchorAt(event.target);
      if (anchor !== undefined && anchor === clicked) return;
      clicked = undefined;
      if (anchor === undefined) shown.leave();
      else shown.goTo(anchor, false);
    },
    focusin({ target }: FocusEvent) {
      const anchor = isHeld ? undefined : anchorAt(target);
      if (anchor?.matches(':focus-visible, :has(:focus-visible)') === true) shown.goTo(anchor, true);
    },
    focusout: shown.hide,
    pointerdown(event: PointerEvent) {
      // Otherwise a dialog would take the event for a click outside.
      if (inBox(event.target)) return event.stopPropagation();
      shown.hide();
      isHeld = true;
      clicked = anchorAt(event.target);
    },
    keydown(event: KeyboardEvent) {
      isHeld = false;
      if (!shown.isShown() || !['Escape', 'Enter', ' '].includes(event.key)) return;
      // Escape closes only the hint, not the dialog around it.
      if (event.key === 'Escape') event.stopPropagation();
      shown.hide();
    },
    scroll: shown.hide,
  };
  const all = Object.entries(listeners) as [string, (event: Event) => void][];
  for (const [name, listener] of all) {
    window.addEventListener(name, listener, { capture: true, passive: true });
  }
  return () => {
    shown.hide();
    shown.stay();
    for (const [name, listener] of all) window.removeEventListener(name, listener, true);
  };
}
