"""Bones by their shape alone: two legs that reach the ground, a spine above them, two arms beside it. Names do not count.

Positions are world axes with Z up, in any unit; all measures below are relative to the height of the skeleton or the length of its legs.
Joints (heads of bones) are trusted, tails only where they lie at the next joint: else bones end as ``ends`` says, and the last ones do not tell.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import dist, hypot, inf, log

from ..errors import RigError
from .bones import Bone, Point, Tree
from .ends import with_ends

Slots = dict[str, list[str]]
Leg = tuple[str, str, str]  # thigh, shin, foot

STEEP = 0.75  # share of its length by which a bone of a leg goes down, at least
ANKLE_BEND = 0.9  # cosine: a short bone below the shin that turns off more than this belongs to the foot


def find(bones: Sequence[Bone]) -> Slots:
    """Slot → bones: the first bone of each part of a limb, the chains of spine and neck. What is no person is a RigError."""
    if not _tails_tell(Tree(bones)):
        return _find(with_ends(bones), tails=False)
    return _find(bones, tails=True)


def _find(bones: Sequence[Bone], tails: bool) -> Slots:
    """``tails``: whether last bones end where they say."""
    deforming = [bone for bone in bones if bone.deform]
    if 0 < len(deforming) < len(bones):  # controls and helpers lie anywhere: look at the others first
        try:
            return _Body(_joined(deforming, bones), tails).slots()
        except RigError:
            pass  # the skeleton itself is not marked as deforming
    return _Body(_joined(bones, bones), tails).slots()


def middle(a: Point, b: Point) -> Point:
    """The point half-way."""
    return 0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]), 0.5 * (a[2] + b[2])


def _facing(tree: Tree, legs: Sequence[Leg], tails: bool) -> tuple[float, float]:
    """Where a character on two legs looks: (x, y), of unit length. Feet point ahead; where they do not tell, knees do."""
    (x1, y1, _), (x2, y2, _) = (middle(tree.head(leg[0]), tree.head(leg[2])) for leg in legs)
    across = hypot(x1 - x2, y1 - y2) or 1.0
    ahead = ((y1 - y2) / across, (x2 - x1) / across)
    size = sum(dist(tree.head(leg[0]), tree.head(leg[2])) for leg in legs)
    feet, shoes = (sum(_foot_reach(tree, leg[2], ahead, told) for leg in legs) for told in (tails, True))
    knees = sum(_along(_minus(tree.head(shin), middle(tree.head(thigh), tree.head(foot))), ahead) for thigh, shin, foot in legs)
    signs = [tells for tells in (feet, knees, shoes) if abs(tells) > 0.01 * size]
    signs.append(-ahead[1])  # most characters are made to look along −Y
    return ahead if signs[0] > 0.0 else (-ahead[0], -ahead[1])


def _joined(chosen: Sequence[Bone], bones: Sequence[Bone]) -> Tree:
    """The chosen of some bones as one tree. A bone hangs on the nearest chosen one above it, or on one that lies where a bone above it lies
    (deform bones often hang on a copy of the skeleton); where there is none, on the bone nearest to its head."""
    every, tree = Tree(bones), Tree(chosen)
    parents: dict[str, str | None] = dict.fromkeys(tree.bones)
    stand_in = {name: name if name in tree.bones else _alike(bone, chosen) for name, bone in every.bones.items()}

    def carriers(name: str | None) -> Iterator[str]:
        while name:
            yield name
            name = parents[name]

    for bone in chosen:
        above = (stand_in[name] for name in every.up(bone.parent))
        parents[bone.name] = next((name for name in above if name and bone.name not in carriers(name)), None)
    tree = Tree(replace(bone, parent=parents[bone.name]) for bone in chosen)
    waiting = {name: [*tree.below(name)] for name, parent in parents.items() if parent is None}
    grain = 1e-3 * max((dist(bone.head, chosen[0].head) for bone in chosen), default=0.0) or 1.0
    nearest = dict.fromkeys(waiting, (inf, 0, ""))  # how far, which of the bones joined so far, and its name
    joined, count = waiting.pop(max(waiting, key=lambda root: len(waiting[root]))) if waiting else [], 0
    while waiting:
        for root in waiting:
            gaps = ((round(_gap(tree.head(root), tree.bones[name]) / grain), count + place, name) for place, name in enumerate(joined))
            nearest[root] = min(nearest[root], *gaps)
        root = min(waiting, key=lambda root: nearest[root])
        parents[root] = nearest[root][2]
        joined, count = waiting.pop(root), count + len(joined)
    return Tree(replace(bone, parent=parents[bone.name]) for bone in chosen)


def _alike(bone: Bone, others: Iterable[Bone]) -> str | None:
    """The first of other bones that starts where a bone starts and points the same way."""
    along = _minus(bone.tail, bone.head)
    near = 1e-3 * hypot(*along)
    there = (other for other in others if dist(other.head, bone.head) < near)
    return next((other.name for other in there if _cosine(_minus(other.tail, other.head), along) > 0.99), None)


@dataclass(frozen=True)
class _Arm:
    """Bones by the part of the arm that they are, and how little they are like one."""

    cost: float
    bones: dict[str, str]


class _Body:
    """One attempt at reading a tree of bones as a person."""

    def __init__(self, tree: Tree, tails: bool):
        self.tree, self.tails = tree, tails
        heights = [tree.head(name)[2] for name in tree.bones]
        self.height = max(heights) - min(heights) if heights else 0.0
        self.runs: dict[str, list[str]] = {}
        for name in reversed([name for root in tree.bones if tree.bones[root].parent not in tree.bones for name in tree.below(root)]):
            self.runs[name] = self._run(name)

    def slots(self) -> Slots:
        legs = self._legs()
        self.ahead = _facing(self.tree, legs, self.tails)
        self.left = (-self.ahead[1], self.ahead[0])
        self.middle = middle(*(middle(self.tree.head(leg[0]), self.tree.head(leg[2])) for leg in legs))
        self.leg = sum(dist(self.tree.head(leg[0]), self.tree.head(leg[2])) for leg in legs) / 2
        legs.sort(key=lambda leg: -self._lateral(self.tree.head(leg[0])))
        self.hip = self._lateral(self.tree.head(legs[0][0]))
        found: Slots = {}
        for side, leg in zip("LR", legs, strict=True):
            found |= {f"{part}.{side}": [name] for part, name in zip(("thigh", "shin", "foot"), leg, strict=True)}
            found[f"toes.{side}"] = self._toes(leg[2])
        carrier = self.tree.common(leg[0] for leg in legs)
        assert carrier is not None  # all bones were joined into one tree
        spine = self._spine(carrier)
        arms = self._arms([carrier, *spine], {name for leg in legs for name in self.tree.up(leg[0])})
        for side, arm in arms.items():
            found |= {f"{part}.{side}": [name] for part, name in arm.bones.items()}
        torso, found["head"] = self._split(spine, arms)
        found["pelvis"], found["torso"] = self._pelvis(carrier, torso, legs, bool(arms))
        return {slot: names for slot, names in found.items() if names}

    def _pelvis(self, carrier: str, torso: list[str], legs: list[Leg], arms: bool) -> tuple[list[str], list[str]]:
        """Pelvis and torso, of the bone that carries both legs and the spine above it."""
        near = dist(self.tree.head(carrier), middle(*(self.tree.head(leg[0]) for leg in legs))) < 0.5 * self.leg
        halves = [self.tree.path(carrier, leg[0])[1] for leg in legs]
        if any(half == leg[0] for half, leg in zip(halves, legs, strict=True)):  # the legs hang on the pelvis, or on a root on the floor
            return ([carrier], torso) if near else (torso[:1], torso[1:])
        if near and (torso or not arms):
            return [carrier], torso
        # Bones of their own lead to each hip joint, beside one that holds all else.
        return halves, [carrier, *torso] if near else torso

    def _run(self, name: str) -> list[str]:
        """The longest way straight down from a bone, along its descendants."""
        falling = [self.runs[child] for child in self.tree.children[name] if self._falls(name, child)]
        return [name, *max(falling, key=lambda run: (-self.tree.head(run[-1])[2], self._size(run[-1])), default=[])]

    def _falls(self, upper: str, lower: str) -> bool:
        a, b = self.tree.head(upper), self.tree.head(lower)
        length = dist(a, b)
        return length < 1e-3 * self.height or a[2] - b[2] > STEEP * length

    def _size(self, name: str) -> float:
        return max(dist(self.tree.head(name), self.tree.tail(end)) for end in self.tree.below(name))

    def _leg(self, run: list[str]) -> Leg | None:
        """Thigh, shin and foot of a way down, if it may be a leg."""
        joints = [self.tree.head(name) for name in run]
        while len(run) > 2:  # what bends off at its end is the foot, or a helper at the ankle
            last, before = _minus(joints[-1], joints[-2]), _minus(joints[-2], joints[0])
            short = hypot(*last) < 0.2 * hypot(*before)
            if not short or (hypot(*last) > 1e-3 * self.height and _cosine(last, before) > ANKLE_BEND):
                break
            run, joints = run[:-1], joints[:-1]
        length = dist(joints[0], joints[-1])
        between = [name for name, joint in zip(run, joints, strict=True) if 0.25 < dist(joints[0], joint) / (length or 1.0) < 0.75]
        if joints[0][2] - joints[-1][2] < 0.25 * self.height or not between:
            return None
        knee = min(between, key=lambda name: abs(dist(self.tree.head(name), joints[0]) - dist(self.tree.head(name), joints[-1])))
        feet = [name for name in self.tree.children[run[-2]] if dist(self.tree.head(name), joints[-1]) < 1e-3 * self.height]
        return run[0], knee, max(feet, key=self._size)

    def _legs(self) -> list[Leg]:
        """Both legs: of all pairs that mirror each other and reach the ground the longest, and the nearest to each other."""
        legs = [leg for leg in map(self._leg, self.runs.values()) if leg]
        feet = {leg: self.tree.head(leg[2]) for leg in legs}
        low = min((foot[2] for foot in feet.values()), default=0.0) + 0.1 * self.height
        pairs = [pair for pair in combinations(legs, 2) if max(feet[leg][2] for leg in pair) < low and self._mirrored(*pair)]
        if not pairs:
            lowest = min(legs, key=lambda leg: feet[leg][2], default=None)
            what = f"one leg (from '{lowest[0]}' to '{lowest[2]}') but none that mirrors it" if lowest else "no legs"
            raise RigError(f"The bones show {what}: a character needs two legs of thigh, shin and foot that stand side by side.")
        best = max(pairs, key=lambda pair: sum(dist(self.tree.head(leg[0]), feet[leg]) for leg in pair) - dist(*(feet[leg] for leg in pair)))
        for pair in pairs:
            apart = min(dist(feet[one], feet[other]) for one in pair for other in best) > 0.15 * self.height
            # A skirt hangs on the pelvis as the legs do; forelegs hang elsewhere.
            if apart and self.tree.common(leg[0] for leg in pair) != self.tree.common(leg[0] for leg in best):
                raise RigError(f"More than two legs reach the ground, at '{best[0][2]}' and at '{pair[0][2]}': only characters on two legs can walk.")
        return list(best)

    def _mirrored(self, one: Leg, other: Leg) -> bool:
        """Whether two legs stand side by side, like in a mirror."""
        if one[0] in self.tree.up(other[0]) or other[0] in self.tree.up(one[0]):
            return False
        near = 0.05 * self.height
        gaps = [_minus(self.tree.head(a), self.tree.head(b)) for a, b in zip(one, other, strict=True)]
        if any(abs(gap[2]) > near for gap in gaps) or min(hypot(*gap[:2]) for gap in (gaps[0], gaps[2])) < 0.4 * near:
            return False
        hips, feet = (middle(self.tree.head(one[i]), self.tree.head(other[i])) for i in (0, 2))
        across = gaps[2][0] / hypot(*gaps[2][:2]), gaps[2][1] / hypot(*gaps[2][:2])
        return abs(_along(_minus(hips, feet), across)) < near and _along(gaps[0], across) > 0.7 * hypot(*gaps[0][:2])

    def _lateral(self, point: Point) -> float:
        """How far a point lies to the left of the middle."""
        return _along(_minus(point, self.middle), self.left)

    def _toes(self, foot: str) -> list[str]:
        """The joint at about two thirds of the foot, with its neighbours."""
        ankle, reach = self.tree.head(foot), _foot_reach(self.tree, foot, self.ahead, self.tails)
        shares = {name: _along(_minus(self.tree.head(name), ankle), self.ahead) / (reach or inf) for name in self.tree.below(foot) if name != foot}
        balls = [name for name, share in shares.items() if 0.35 < share < (0.95 if self.tails else 1.05)]
        if not balls:
            return []
        ball = min(balls, key=lambda name: abs(shares[name] - 0.68))
        return [name for name in balls if self.tree.bones[name].parent == self.tree.bones[ball].parent]

    def _spine(self, pelvis: str) -> list[str]:
        """The bones above the pelvis up to the highest one near the middle."""
        central = [name for name in self.tree.below(pelvis) if abs(self._lateral(self.tree.head(name))) < 0.03 * self.height]
        top = max((name for name in central if not self._beside(name)), key=lambda name: self.tree.head(name)[2], default=pelvis)
        return self.tree.path(pelvis, top)[1:] if self.tree.head(top)[2] > self.tree.head(pelvis)[2] else []

    def _arms(self, trunk: list[str], legs: set[str]) -> dict[str, _Arm]:
        """The likeliest pair of arms among what hangs on the trunk, by side."""
        taken = {*trunk, *legs}
        sides: dict[bool, list[_Arm]] = {True: [], False: []}
        for root in (child for bone in trunk for child in self.tree.children[bone] if child not in taken):
            arms = [arm for end in self.tree.below(root) if (arm := self._arm(root, end))]
            if arms:
                best = min(arms, key=lambda arm: arm.cost)
                sides[self._lateral(self.tree.head(best.bones["forearm"])) > 0.0].append(best)
        near = 0.05 * self.height
        pairs = [
            (left, right) for left in sides[True] for right in sides[False]
            if all(abs(self.tree.head(left.bones[part])[2] - self.tree.head(right.bones[part])[2]) < near for part in ("upper_arm", "forearm"))
        ]
        likeliest = min(pairs, key=lambda pair: pair[0].cost + pair[1].cost, default=None)
        return {"L": likeliest[0], "R": likeliest[1]} if likeliest else {}

    def _arm(self, root: str, end: str) -> _Arm | None:
        """Shoulder, elbow and wrist where they split the way from one bone to another most like an arm, if it is like one at all."""
        names = self.tree.path(root, end)
        joints = [self.tree.head(name) for name in names]
        if self.tails:
            joints.append(self.tree.tail(end))
        elif len(joints) > 1:  # as if the last bone were almost as long as the one before
            (ax, ay, az), (bx, by, bz) = joints[-2:]
            joints.append((bx + 0.9 * (bx - ax), by + 0.9 * (by - ay), bz + 0.9 * (bz - az)))
        best = _Arm(1.0, {})
        for upper, fore, hand in combinations(range(len(joints)), 3):
            cost = self._unlike_arm(joints[upper:hand + 1], fore - upper)
            if hand == len(names):  # the arm ends with the forearm
                cost += 0.3
            else:
                beyond = _length(joints[hand:]) / (dist(joints[fore], joints[hand]) or inf)
                cost += log(max(beyond, 0.95) / 0.95) - 0.3 * (len(self.tree.children[names[hand]]) > 1)
            if cost < best.cost:
                parts = {part: names[i] for part, i in (("upper_arm", upper), ("forearm", fore), ("hand", hand)) if i < len(names)}
                best = _Arm(cost, parts if upper == 0 else {"shoulder": names[0], **parts})
        return best if best.bones else None

    def _unlike_arm(self, joints: list[Point], elbow: int) -> float:
        """How little some joints in a row are like those of an arm, from its shoulder to its wrist: 0 is a perfect one."""
        upper, fore = dist(joints[0], joints[elbow]), dist(joints[elbow], joints[-1])
        length = upper + fore
        rise = (joints[0][2] - self.middle[2]) / self.leg - 0.5  # of the shoulder above the hips
        if min(upper, fore) < 0.1 * self.leg or length < 0.3 * self.leg or dist(joints[-2], joints[-1]) < 1e-3 * self.leg:
            return inf  # too short, or a joint that doubles the one before
        if dist(joints[0], joints[-1]) < 0.7 * length or rise < 0.25:
            return inf  # folded up, or at the hips
        cost = abs(log(upper / fore / 1.1)) + 0.5 * abs(log(length / (0.6 * self.leg))) + 4.0 * max(0.0, rise - 0.8)
        cost += 0.05 * (len(joints) - 3) + 2.0 * (_length(joints) / length - 1.0)  # bones in line, such as twist bones, are few and straight
        cost += max(0.0, -_along(_minus(joints[-1], joints[0]), self.ahead) / length - 0.15)  # wings reach back
        return cost + 0.3 * (abs(self._lateral(joints[0])) < 0.7 * self.hip)  # still inside of the trunk: a collar bone

    def _split(self, spine: list[str], arms: dict[str, _Arm]) -> tuple[list[str], list[str]]:
        """The spine below the neck, and neck and head."""
        if arms:
            carrier = self.tree.common(arm.bones["upper_arm"] for arm in arms.values())
            shoulders = sum(self.tree.head(arm.bones["upper_arm"])[2] for arm in arms.values()) / 2
            torso = [name for name in spine if name in set(self.tree.up(carrier))]
        else:
            shoulders = self.middle[2] + 1.06 * self.leg  # about as high above the hips as those are above the knees
            torso = [name for name in spine if self.tree.head(name)[2] < shoulders]
        head: list[str] = []
        for name in spine[len(torso):]:
            rise = self.tree.head(name)[2] - self.tree.head(head[-1])[2] if head else 0.0
            tip = not self.tree.children[name] and self.tree.head(name)[2] > shoulders + 0.3 * self.leg  # the end of the skull, no bone to turn
            if head and (tip or rise < 0.005 * self.height or (self._has_face(head[-1]) and not self._has_face(name))):
                break
            head.append(name)
        return torso, head

    def _spread(self, name: str) -> tuple[float, float]:
        """How far a bone and all that hangs on it reach to the right and to the left of the middle."""
        ends = [self._lateral(end) for bone in self.tree.below(name) for end in (self.tree.head(bone), self.tree.tail(bone))]
        return -min(ends), max(ends)

    def _beside(self, name: str) -> bool:
        """Whether a bone leads to one side, as a collar bone does."""
        return min(self._spread(name)) < 0.05 * self.height < 0.5 * max(self._spread(name))

    def _has_face(self, name: str) -> bool:
        """Whether there are things above a bone on both sides: eyes, ears, cheeks."""
        return min(self._spread(name)) > 0.01 * self.height


def _foot_reach(tree: Tree, foot: str, ahead: tuple[float, float], tails: bool) -> float:
    """How far a foot reaches beyond its ankle along ``ahead``; negative where it points the other way. ``tails``: they count, too."""
    names = [*tree.below(foot)]
    joints, ends = ([_along(_minus(end(name), tree.head(foot)), ahead) for name in names] for end in (tree.head, tree.tail))
    farthest = max(joints, key=abs)  # a heel may reach back, but toes reach further; tails only add to what joints say
    return max((reach for reach in joints + ends * tails if reach * farthest >= 0.0), key=abs)


def _tails_tell(tree: Tree) -> bool:
    """Whether bones end where the next ones begin. Importers of formats without tails make them up."""
    def meets(name: str, child: str) -> bool:
        return dist(tree.tail(name), tree.head(child)) < 0.1 * dist(tree.head(name), tree.head(child))

    met = [any(meets(name, child) for child in children) for name, children in tree.children.items() if children]
    return sum(met) > 0.3 * len(met)


def _gap(point: Point, bone: Bone) -> float:
    """How far a point is from a bone, which is a line from head to tail."""
    along, to = _minus(bone.tail, bone.head), _minus(point, bone.head)
    square = sum(value * value for value in along)
    share = min(1.0, max(0.0, sum(a * b for a, b in zip(along, to, strict=True)) / square)) if square else 0.0
    return dist(to, tuple(share * value for value in along))


def _length(points: Sequence[Point]) -> float:
    return sum(map(dist, points, points[1:]))


def _minus(a: Point, b: Point) -> Point:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def _along(vector: Point, direction: tuple[float, float]) -> float:
    """How far a vector leads along a level direction."""
    return vector[0] * direction[0] + vector[1] * direction[1]


def _cosine(a: Point, b: Point) -> float:
    size = hypot(*a) * hypot(*b)
    return sum(x * y for x, y in zip(a, b, strict=True)) / size if size else 0.0
