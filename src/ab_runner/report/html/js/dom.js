// What all scripts of the page use: its root, and the elements that fit a selector.

const root = document.documentElement;

const all = (selector, within = document) => [...within.querySelectorAll(selector)];
